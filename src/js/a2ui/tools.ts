/** `a2uiTools`: the tools of A2UI in the format of a provider. */
import { misuse } from "../core/errors.js";
import { requireOptions, requireText } from "../core/require.js";
import { FORMAT_OPTIONS, isToolFormat, TOOL_FORMATS, writeTools } from "../definitions/format.js";
import { formatName } from "../definitions/provider-formats.js";
import type { FormatOptions, ProviderTools, ToolFormat } from "../definitions/types.js";
import { a2uiDefinitions } from "./definitions.js";

/**
 * The tools by which a model builds surfaces, for both versions: `createSurface`, `updateComponents`, `updateDataModel`,
 * `deleteSurface`. `A2uiWriter.run` reads their arguments in every format.
 *
 * ```ts
 * a2uiTools("anthropic").map((tool) => tool.name);
 * // ["createSurface", "updateComponents", "updateDataModel", "deleteSurface"]
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` for an unknown format or option.
 */
export function a2uiTools<Format extends ToolFormat>(format: Format, options?: FormatOptions): ProviderTools[Format][];
export function a2uiTools(format: string, options: FormatOptions = {}): object[] {
  requireText("a2uiTools", "format", format);
  const name = formatName(format);
  if (!isToolFormat(name))
    throw misuse(`a2uiTools: there is no format "${format}"; there are ${TOOL_FORMATS.join(", ")}.`);
  requireOptions("a2uiTools", options, FORMAT_OPTIONS);
  return writeTools(a2uiDefinitions, name, options);
}
