import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { Playback } from "../lib/Playback";
import { t } from "../words/words";
import { tour } from "./player";
import { scenes } from "./scenes";
import { tourState } from "./state";

/** The controls of the tour: its position, each scene, and an exit. */
export function TourBar() {
  const { step, playing, done } = useCell(tourState);
  const scene = step === undefined ? undefined : scenes[step];
  return (
    <section className="tour-bar" aria-label={t("The first minute")}>
      <p className="tour-hint" role="status">
        {done ? t("That was it. Play a step again, or try it yourself.") : scene && t(scene.hint)}
      </p>
      <ol className="tour-steps">
        {scenes.map(({ id, title }, at) => (
          <li key={id}>
            <button
              type="button"
              className="small"
              aria-current={at === step ? "step" : undefined}
              aria-label={t("Step {number}: {title}", { number: at + 1, title: t(title) })}
              title={t(title)}
              onClick={() => tour.start(at, true)}
            >
              {at + 1}
            </button>
          </li>
        ))}
      </ol>
      <button type="button" className="small" aria-label={t("Leave the tour")} onClick={() => tour.leave()}>
        <Icon name="cross" />
        <span>{t("Leave")}</span>
      </button>
      <Playback player={tour} playing={playing} done={done} empty={false} />
    </section>
  );
}

/** The big button, and each scene alone. */
export function TourStart() {
  return (
    <div className="tour-start">
      <button type="button" className="primary big" onClick={() => tour.start()}>
        <Icon name="play" />
        {t("Watch an agent build a booking page")}
      </button>
      <p className="hint">{t("A minute, recorded, in this browser alone. Or one step of it:")}</p>
      <ol>
        {scenes.map(({ id, title }, at) => (
          <li key={id}>
            <button
              type="button"
              className="small"
              aria-label={t("Step {number}: {title}", { number: at + 1, title: t(title) })}
              onClick={() => tour.start(at, true)}
            >
              {at + 1} {t(title)}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
