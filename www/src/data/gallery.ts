// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the templates of documents are data
/** One of each: every block kind and every field type that the other instances lack. */

const seasons = [
  { label: "Spring", value: "spring" },
  { label: "Summer", value: "summer" },
  { label: "Autumn", value: "autumn" },
];

const drawing = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 120"><rect width="320" height="120" fill="#dfe7f5"/><circle cx="250" cy="38" r="18" fill="#f3b54a"/><path d="M0 120 90 46l52 44 46-34 132 64z" fill="#5b6fb5"/></svg>',
)}`;

/** Inserted values are escaped; scripts and unsafe URLs are removed. */
const welcome =
  "<p>Welcome, <b>${state.params.username}</b>!</p><script>alert(1)</script>" +
  '<p><a href="https://example.com/">A page</a></p><p><a href="javascript:alert(1)">No page</a></p>';

export const gallery = {
  page_key: "gallery",
  meta: { title: "One of each" },
  state: {
    params: {
      seasons: ["summer"],
      day: "2026-05-04",
      begins: "2026-05-04T09:30",
      settings: { zoom: 1.5, layers: ["paths", "water"] },
      "walk.length": 12.5,
      username: "<img src=x onerror=alert(1)> Ada",
    },
    runtime: { done: 64, state: "on the way" },
  },
  layout: { type: "grid", columns: 2 },
  blocks: [
    {
      id: "choices",
      layout: "form",
      title: "Form: more inputs",
      props: {
        fields: [
          { key: "seasons", type: "multiselect", label: "Seasons", options: seasons },
          { key: "day", type: "date", label: "Day" },
          { key: "begins", type: "datetime", label: "Begins" },
          { key: "walk.length", type: "number", label: "Length in km", description: "Its key has a dot: walk.length" },
          { key: "settings", type: "json", label: "Map settings" },
          { key: "track", type: "file", label: "Track" },
        ],
        actions: [
          { id: "save", label: "Save", style: "success" },
          { id: "warn", label: "Overwrite", style: "warning" },
          { id: "close", label: "Close", style: "default" },
        ],
      },
    },
    {
      id: "shown",
      type: "grid",
      title: "Grid: things to look at",
      bind: "state.runtime",
      props: {
        columns: 2,
        fields: [
          { key: "picture", type: "image", label: "Picture", value: drawing },
          { key: "unsafe", type: "image", label: "Picture with an unsafe address", value: "javascript:alert(1)" },
          { key: "done", type: "progress", label: "Done" },
          { key: "state", type: "badge", label: "State" },
          { key: "kind", type: "tag", label: "Kind", value: ["hill", "river"] },
          { key: "welcome", type: "html", label: "HTML", value: welcome },
        ],
      },
    },
    {
      id: "details",
      type: "tabs",
      title: "Tabs",
      props: {
        tabs: [
          {
            id: "stops",
            label: "Stops",
            fields: [
              {
                key: "stops",
                type: "table",
                label: "Stops",
                columns: [
                  { key: "place", label: "Place" },
                  { key: "km", label: "km" },
                ],
                value: [
                  { place: "Mill", km: 0 },
                  { place: "Weir", km: 4.2 },
                  { place: "Ridge", km: 9 },
                ],
              },
            ],
          },
          { id: "notes", label: "Notes", fields: [{ key: "notes", type: "textarea", label: "Notes" }] },
        ],
      },
    },
    {
      id: "more",
      type: "accordion",
      title: "Accordion",
      props: {
        panels: [
          {
            id: "packing",
            title: "Packing",
            fields: [{ key: "map", type: "checkbox", label: "Take a paper map", value: true }],
          },
          {
            id: "other",
            title: "Of the host's own",
            fields: [
              { key: "chart", type: "component", label: "Height profile", component: "HeightProfile" },
              { key: "invite", type: "modal", label: "Invite" },
            ],
          },
        ],
      },
    },
  ],
  actions: [],
};
