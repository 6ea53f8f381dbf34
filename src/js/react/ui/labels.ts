/**
 * The texts of the components, in English and Chinese. `{name}` is filled in. They are put together by calls that a bundler may
 * drop, which a spread is not: a page gets the texts of the components that it uses.
 */
import { type ChangeWords, chineseChangeWords, englishChangeWords } from "../../approval/describe.js";
import { englishFieldLabels, type FieldLabels } from "../use-field.js";

/** Texts of a `PageView`. */
export interface PageLabels extends FieldLabels {
  noPage: string;
  noBlocks: string;
  /** The name of the tabs of a page. */
  blocks: string;
  step: string;
  choose: string;
  notAnOption: string;
  noRows: string;
  rowActions: string;
  noImage: string;
  imageRefused: string;
  files: string;
  open: string;
  close: string;
  unknownField: string;
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
  noChanges: string;
  hunk: string;
  lines: string;
  leftOut: string;
  noLineEnd: string;
  added: string;
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
  changes: ChangeWords;
  /** By the kind of a proposal; `{target}` is what it would change. */
  patch: string;
  node: string;
  file: string;
  fileCreated: string;
  fileDeleted: string;
  /** A call of an agent's own tool, which is `{target}`. */
  call: string;
  noArguments: string;
  /** The result of such a call. */
  result: string;
  proposals: string;
  noProposals: string;
  waiting: string;
  pending: string;
  stale: string;
  approved: string;
  refused: string;
  staleNote: string;
  /** Marks a change of a field that the agent did not ask to show. */
  beside: string;
  /** Words for reasons that the host gives. Those without a word are shown as they are. */
  reasons: { readonly [reason: string]: string };
  /** A difference between the text that an agent wants to replace and the text of the file. */
  fix: string;
  approve: string;
  approvePart: string;
  approveOwn: string;
  refuse: string;
  again: string;
  edit: string;
  editOf: string;
  undoEdit: string;
  notJson: string;
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
  surface: string;
  waitingForSurface: string;
  waitingFor: string;
  /** The stream has ended without a rendering, or without a component. */
  noSurface: string;
  neverCame: string;
  unknownComponent: string;
  cyclic: string;
  mediaRefused: string;
  value: string;
  choice: string;
  find: string;
  date: string;
  time: string;
  dateAndTime: string;
  part: string;
  parts: string;
  open: string;
  close: string;
  details: string;
  audio: string;
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
  activity: string;
  noActivity: string;
  running: string;
  success: string;
  error: string;
  /** The status of a call that waits for the user. */
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
