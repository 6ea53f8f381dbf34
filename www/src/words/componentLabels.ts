/** The texts of the package's components, in the current language and in the words of this page. */
import { english, type Labels } from "genui-patch/react/ui";
import { RESET, reasonText, SETTLED_ELSEWHERE } from "../proposal/reasons";
import { componentTexts, language, t } from "./words";

const made = new Map<string, Labels>();

/** The same object until the language changes, so that nothing is rendered for it. */
export function componentLabels(): Labels {
  const spoken = language.get();
  let labels = made.get(spoken);
  if (labels === undefined) {
    labels = {
      ...english,
      ...componentTexts(),
      pending: t("waits for you"),
      refused: t("refused"),
      refuse: t("Refuse"),
      waitingForSurface: t("Components arrive; the order to render has not come yet."),
      noSurface: t("The order to render never came."),
      reasons: {
        [RESET]: reasonText(RESET),
        [SETTLED_ELSEWHERE]: reasonText(SETTLED_ELSEWHERE),
      },
    };
    made.set(spoken, labels);
  }
  return labels;
}
