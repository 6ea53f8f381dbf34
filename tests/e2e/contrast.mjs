/** The texts of a page with too little contrast against their background (WCAG AA: 4.5, large texts 3). */
export const lowContrast = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    /** Paints colours over each other, and returns the visible colour. */
    const mix = (colors) => {
      canvas.clearRect(0, 0, 1, 1);
      for (const color of colors) {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
      }
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb) => {
      const [red, green, blue] = rgb.map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element) => {
      const colors = [];
      for (let at = element; at; at = at.parentElement) colors.unshift(getComputedStyle(at).backgroundColor);
      return colors;
    };
    const low = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest("[disabled]")) continue;
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      const size = Number.parseFloat(fontSize);
      const large = size >= 24 || (size >= 18.66 && fontWeight >= 700);
      const grounds = behind(element);
      const [dark, light] = [mix([...grounds, color]), mix(grounds)].map(luminance).sort((a, b) => a - b);
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < (large ? 3 : 4.5)) low.push(`${ratio.toFixed(2)} ${texts.currentNode.data.trim().slice(0, 40)}`);
    }
    return [...new Set(low)];
  });
