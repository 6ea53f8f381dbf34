/** The default entry: the module is inlined and instantiated at import, so that no bundler needs to know of it. */
import { connect } from "./bridge.js";
import { initSync } from "./generated/glue.js";
import { deflated, size } from "./generated/inline.js";
import { inflate } from "./inflate.js";

connect(initSync({ module: inflate(decode(deflated), size) }));

function decode(text: string): Uint8Array<ArrayBuffer> {
  // Chrome 140, Firefox 133, Safari 18.2; not in TypeScript's ES2022.
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

export * from "./api.js";
