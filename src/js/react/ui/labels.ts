/**
 * The texts of the components, in English and Chinese. A placeholder such as `{count}` is filled in by the component. Tables are
 * joined by `Object.assign` with a `PURE` mark instead of by a spread: a bundler can drop such a call, so that a page contains
 * only the texts of the components that it uses.
 */
import { type ChangeWords, chineseChangeWords, englishChangeWords } from "../../document/describe.js";
import { englishFieldLabels, type FieldLabels } from "../use-field.js";

/** Texts of a `PageView`. */
export interface PageLabels extends FieldLabels {
  /** The instance does not exist (yet). */
  noPage: string;
  /** The page has neither blocks nor buttons. */
  noBlocks: string;
  /** The name of the tabs of a page, for assistive technologies. */
  blocks: string;
  /** The step of a wizard: `{current}` of `{total}`. */
  step: string;
  /** A select in which nothing is chosen. */
  choose: string;
  /** A select whose `{value}` is none of its options. */
  notAnOption: string;
  /** A table without rows. */
  noRows: string;
  /** The head of a table's column of buttons, for assistive technologies. */
  rowActions: string;
  /** A picture without an address. */
  noImage: string;
  /** A picture whose address is not safe. */
  imageRefused: string;
  /** More than three chosen files: `{count}`. */
  files: string;
  /** Opens a modal whose button has no text of its own. */
  open: string;
  /** Closes a modal. */
  close: string;
  /** A field of a `{type}` for which the page has no component. */
  unknownField: string;
  /** The tooltip of a button whose press is pending. */
  working: string;
  /** An agent is still writing the page. */
  draft: string;
  /** The value was sent, and waits for the answer of the server. */
  saving: string;
  /** The value waits to be sent. */
  notSent: string;
  /** Words for values of `meta.status`. Those without a word are shown as they are. */
  statuses: { readonly [status: string]: string };
}

export const englishPageLabels: PageLabels = /* @__PURE__ */ Object.assign({}, englishFieldLabels, {
  noPage: "Nothing here yet.",
  noBlocks: "This page is empty.",
  blocks: "Parts of the page",
  step: "Step {current} of {total}",
  choose: "Choose…",
  notAnOption: "{value} (not an option)",
  noRows: "No entries.",
  rowActions: "Actions",
  noImage: "No picture.",
  imageRefused: "This picture is not shown: its address is not safe.",
  files: "{count} files",
  open: "Open",
  close: "Close",
  unknownField: "This page cannot show a field of the type {type}.",
  working: "Working…",
  draft: "being written…",
  saving: "saving…",
  notSent: "not sent yet",
  statuses: { idle: "idle", submitted: "submitted" },
});

/** Texts of a `DiffView`. */
export interface DiffLabels {
  /** The diff has no hunks. */
  noChanges: string;
  /** The name of a hunk: `{number}` of `{count}`. */
  hunk: string;
  /** The lines of a hunk in the new text: `{from}` to `{to}`. */
  lines: string;
  /** A button that shows `{count}` more characters of a long text. */
  leftOut: string;
  /** The last line has no line break. */
  noLineEnd: string;
  /** Said before an added line, for assistive technologies. */
  added: string;
  /** Said before a removed line, for assistive technologies. */
  removed: string;
}

export const englishDiffLabels: DiffLabels = {
  noChanges: "Nothing differs.",
  hunk: "Change {number} of {count}",
  lines: "lines {from} to {to}",
  leftOut: "show {count} more characters",
  noLineEnd: "no line break at the end",
  added: "added:",
  removed: "removed:",
};

/** Texts of a `ProposalView` and a `ProposalList`. */
export interface ProposalLabels extends DiffLabels {
  /** The words of the sentences that describe changes. */
  changes: ChangeWords;
  /** The titles of proposals, by what they would change; `{target}` is the instance, the node or the file. */
  patch: string;
  node: string;
  file: string;
  fileCreated: string;
  fileDeleted: string;
  /** A call of an agent's own tool, which is `{target}`. */
  call: string;
  noArguments: string;
  /** Shows the result of such a call. */
  result: string;
  /** The title of the list. */
  proposals: string;
  noProposals: string;
  /** The number of proposals in the list: `{count}`. */
  waiting: string;
  /** The statuses of proposals. `stale`: the target has changed in the same place since. */
  pending: string;
  stale: string;
  approved: string;
  refused: string;
  /** What a user can do about a stale proposal. */
  staleNote: string;
  /** Marks a change of a field that the agent did not ask to show. */
  beside: string;
  /** Texts for the reasons of refusals, by the reason that the host gave. A reason without a text is shown as it is. */
  reasons: { readonly [reason: string]: string };
  /** A difference between the text that an agent wants to replace and the text of the file; `{message}` names it. */
  fix: string;
  /** Approves a proposal: all of it, `{count}` of `{all}` parts, or with values of the user's own. */
  approve: string;
  approvePart: string;
  approveOwn: string;
  /** Rejects a proposal. */
  refuse: string;
  /** Makes a stale proposal anew, for the current state. */
  again: string;
  /** Opens a control for a value of the user's own. */
  edit: string;
  /** The name of that control; `{label}` is the sentence of the change, or the path of the file. */
  editOf: string;
  /** Closes that control and uses the proposed value. */
  undoEdit: string;
  /** The text in that control is not JSON. */
  notJson: string;
  /** Shows the path of a change and its values before and after. */
  details: string;
  before: string;
  after: string;
}

export const englishProposalLabels: ProposalLabels = /* @__PURE__ */ Object.assign({}, englishDiffLabels, {
  changes: englishChangeWords,
  patch: "Change of the page {target}",
  node: "Change of {target}",
  file: "Change of the file {target}",
  fileCreated: "New file {target}",
  fileDeleted: "Delete the file {target}",
  call: "Call of the tool {target}",
  noArguments: "Called without arguments.",
  result: "Show the result",
  proposals: "Waiting for your approval",
  noProposals: "Nothing waits for your approval.",
  waiting: "{count} waiting",
  pending: "waiting",
  stale: "overtaken",
  approved: "approved",
  refused: "rejected",
  staleNote: "This place has changed since. Propose it again to approve it, or reject it.",
  beside: "Also changes",
  reasons: {},
  fix: "The proposed text was not exactly that of the file: {message}",
  approve: "Approve",
  approvePart: "Approve {count} of {all}",
  approveOwn: "Approve with your changes",
  refuse: "Reject",
  again: "Propose again",
  edit: "Edit",
  editOf: "Your value for {label}",
  undoEdit: "Use the proposed value",
  notJson: "This is not JSON yet.",
  details: "Show exactly what changes",
  before: "before",
  after: "after",
});

/** Texts of a `SurfaceView`. */
export interface SurfaceLabels {
  /** The name of a surface, for assistive technologies. */
  surface: string;
  /** The rendering of the surface has not begun. */
  waitingForSurface: string;
  /** The name of the placeholder of a component that has not arrived, for assistive technologies. */
  waitingFor: string;
  /** The stream has ended before the rendering began. */
  noSurface: string;
  /** The stream has ended without the component `{id}`. */
  neverCame: string;
  /** There is no component for `{type}`. */
  unknownComponent: string;
  /** The component `{id}` contains itself. */
  cyclic: string;
  /** A picture, a video or a sound whose address is not safe. */
  mediaRefused: string;
  /** The labels of controls for which the agent wrote none. */
  value: string;
  choice: string;
  date: string;
  time: string;
  dateAndTime: string;
  /** The search field of a choice. */
  find: string;
  /** A tab without a title: `{number}`. */
  part: string;
  /** The name of tabs, for assistive technologies. */
  parts: string;
  /** Opens a modal for which the agent sent no component that does. */
  open: string;
  /** Closes a modal. */
  close: string;
  /** The name of a modal, for assistive technologies. */
  details: string;
  /** The name of a sound without a description. */
  audio: string;
  /** The text in a control is incomplete: a number, a date or a time. */
  notANumber: string;
}

export const englishSurfaceLabels: SurfaceLabels = {
  surface: "Content",
  waitingForSurface: "Loading…",
  waitingFor: "Loading",
  noSurface: "This was to be shown, and never arrived whole.",
  neverCame: "{id} never arrived.",
  unknownComponent: "This page has no component {type}.",
  cyclic: "{id} contains itself.",
  mediaRefused: "This is not loaded: its address is not safe.",
  value: "Value",
  choice: "Choice",
  find: "Find",
  date: "Date",
  time: "Time",
  dateAndTime: "Date and time",
  part: "Part {number}",
  parts: "Parts",
  open: "Open",
  close: "Close",
  details: "Details",
  audio: "Audio",
  notANumber: "This is not a complete number.",
};

/** Texts of an `ActivityList`. */
export interface ActivityLabels {
  /** The name of the list, for assistive technologies. */
  activity: string;
  noActivity: string;
  /** The statuses of calls. `waitsForYou`: the user has to approve it. `overtaken`: its proposal is stale. */
  running: string;
  success: string;
  error: string;
  waitsForYou: string;
  approved: string;
  refused: string;
  overtaken: string;
  /** As in {@link ProposalLabels}. */
  reasons: { readonly [reason: string]: string };
}

export const englishActivityLabels: ActivityLabels = {
  activity: "What the assistant does",
  noActivity: "No calls yet.",
  running: "running",
  success: "done",
  error: "failed",
  waitsForYou: "waits for you",
  approved: "approved",
  refused: "rejected",
  overtaken: "overtaken",
  reasons: {},
};

/** All texts of the components. Each component uses some of them. */
export interface Labels extends PageLabels, ProposalLabels, SurfaceLabels, ActivityLabels {}

export const english: Labels = /* @__PURE__ */ Object.assign(
  {},
  englishSurfaceLabels,
  englishActivityLabels,
  englishProposalLabels,
  englishPageLabels,
);

export const chinese: Labels = {
  changes: chineseChangeWords,
  required: "此项为必填。",
  notANumber: "数字不完整，请写成 1234.5 的形式。",
  notADate: "日期不完整。",
  notJson: "还不是有效的 JSON。",
  noPage: "暂无内容。",
  noBlocks: "此页面为空。",
  blocks: "页面分区",
  step: "第 {current} 步，共 {total} 步",
  choose: "请选择…",
  notAnOption: "{value}（不在选项中）",
  noRows: "暂无条目。",
  rowActions: "操作",
  noImage: "没有图片。",
  imageRefused: "图片地址不安全，未加载。",
  files: "{count} 个文件",
  open: "打开",
  close: "关闭",
  unknownField: "此页面无法显示类型为 {type} 的字段。",
  working: "处理中…",
  draft: "正在编写…",
  saving: "保存中…",
  notSent: "尚未发送",
  statuses: { idle: "填写中", submitted: "已提交" },
  notSaved: "未保存：{reason}",
  textNotSaved: "“{text}”未保存：{reason}",
  noChanges: "没有差异。",
  hunk: "第 {number} 处更改，共 {count} 处",
  lines: "第 {from} 至 {to} 行",
  leftOut: "再显示 {count} 个字符",
  noLineEnd: "末尾没有换行",
  added: "新增：",
  removed: "删除：",
  patch: "更改页面 {target}",
  node: "更改 {target}",
  file: "更改文件 {target}",
  fileCreated: "新建文件 {target}",
  fileDeleted: "删除文件 {target}",
  call: "调用工具 {target}",
  noArguments: "调用时没有参数。",
  result: "显示结果",
  proposals: "等待您批准",
  noProposals: "没有等待批准的更改。",
  waiting: "等待 {count} 项",
  pending: "等待中",
  stale: "已过期",
  approved: "已批准",
  refused: "已拒绝",
  staleNote: "此处内容之后又有变化。请重新提议后再批准，或拒绝。",
  beside: "同时更改",
  reasons: {},
  fix: "提议中的原文与文件不完全一致：{message}",
  approve: "批准",
  approvePart: "批准 {count} 项，共 {all} 项",
  approveOwn: "按您的修改批准",
  refuse: "拒绝",
  again: "重新提议",
  edit: "编辑",
  editOf: "您为“{label}”填写的值",
  undoEdit: "使用提议的值",
  details: "显示具体更改",
  before: "原值",
  after: "新值",
  surface: "内容",
  waitingForSurface: "加载中…",
  waitingFor: "加载中",
  noSurface: "内容未完整到达。",
  neverCame: "{id} 未到达。",
  unknownComponent: "此页面没有组件 {type}。",
  cyclic: "{id} 包含自身。",
  mediaRefused: "地址不安全，未加载。",
  value: "数值",
  choice: "选择",
  find: "查找",
  date: "日期",
  time: "时间",
  dateAndTime: "日期和时间",
  part: "第 {number} 部分",
  parts: "各部分",
  audio: "音频",
  activity: "助手的操作",
  noActivity: "还没有调用。",
  running: "进行中",
  success: "完成",
  error: "失败",
  waitsForYou: "等您决定",
  overtaken: "已过期",
};
