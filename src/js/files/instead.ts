/** `pathInstead`: what to send instead of a path that the policy refuses. */
import { checkPath, type PathPolicy, type PathRule } from "../blocks/policy.js";

/** The advice for rules where no other spelling of the path can be suggested. */
const INSTEAD: { [rule in PathRule]?: string } = {
  "path-length": "Send a path of at most 4096 bytes.",
  "segment-length": "Send names of at most 255 bytes each.",
  "url-scheme": "Send the path of a file in the workspace, not a URL.",
  empty: "Send the path of a file, such as src/app.js.",
  "percent-encoding": "Send the characters themselves, without percent-encoding.",
  "git-directory": "Send the path of a file outside of .git.",
  "device-name": "Send another name than that of a device of Windows.",
  "look-alike": "Send / and . themselves in the place of what looks like them.",
  variable: "Send the path itself, without variables.",
  directory: "Send the path of a file in that directory.",
  denied: "Send the path of another file: the host does not allow this one.",
};

/** One sentence: a path that is allowed, or the requirement of the rule. */
export function pathInstead(path: string, policy: PathPolicy | null | undefined): string {
  const { reason } = checkPath(path, policy);
  const advice = reason && INSTEAD[reason];
  if (advice) return advice;
  const cleanedPath = cleanPath(path);
  if (checkPath(cleanedPath, policy).ok) return `Send ${JSON.stringify(cleanedPath)}, if that is the file.`;
  const roots = policy?.roots ?? [];
  if (roots.length > 0) return `Send a path in ${roots.map((root) => JSON.stringify(root)).join(" or ")}.`;
  return "Send a path relative to the workspace, such as src/app.js.";
}

/** A name without blanks around it and without trailing dots. */
function trimName(name: string): string {
  const text = name.trimStart();
  let end = text.length;
  // A loop, since /[\s.]+$/ takes quadratic time.
  while (/[\s.]/.test(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}

/** The path without parts that lead out of the workspace, and without forbidden characters. It may still be forbidden. */
function cleanPath(path: string): string {
  const names: string[] = [];
  // Without control, invisible and unpaired characters.
  const text = path.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu, "").trim();
  // Without the home directory or the drive.
  for (const segment of text.replace(/^(~|[A-Za-z]:)(?=[\\/])/, "").split(/[\\/]/)) {
    if (segment === "..") names.pop();
    else {
      const name = trimName(segment.replace(/[<>:"|?*]/g, "-"));
      if (name !== "") names.push(name);
    }
  }
  return names.join("/");
}
