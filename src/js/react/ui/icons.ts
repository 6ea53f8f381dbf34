/**
 * The icons of A2UI's basic catalog. Each is the `d` of an SVG path on a square of 20, which is stroked and not filled: a stroke
 * of 0.010 with round ends is a dot. The constants are shapes that several icons share.
 */
const circle = "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14z";
const bell = "M5.5 14V9.5a4.5 4.5 0 0 1 9 0V14l1.5 1.5H4zM8.5 17.5h3";
const eye = "M2.5 10C5 6 7.5 5 10 5s5 1 7.5 5c-2.5 4-5 5-7.5 5s-5-1-7.5-5zM10 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z";
const star = "M10 3l2.1 4.6 5 .6-3.7 3.4 1 5L10 14.1 5.6 16.6l1-5L2.9 8.2l5-.6z";
const heart = "M10 16.5S3.5 12.6 3.5 8A3.4 3.4 0 0 1 10 6.6 3.4 3.4 0 0 1 16.5 8c0 4.6-6.5 8.5-6.5 8.5z";
const lock = "M5 9h10v7.5H5zM7 9V6.5a3 3 0 0 1 6 0";
const calendar = "M4 5h12v12H4zM4 8.5h12M7 3v3.5m6-3.5v3.5";
const speaker = "M4 8v4h2.5L10 15V5L6.5 8z";
const person = "M10 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM4.5 16.5a5.5 5.5 0 0 1 11 0";
const phone = "M5.5 3.5l2.5 3-1.5 2a9 9 0 0 0 5 5l2-1.5 3 2.5-1.5 2.5C8.5 17 3 11.5 3 5z";
/** A stroke across an icon. */
const off = "M3.5 3.5l13 13";

/** The icons by the names that agents send. */
export const ICONS: { readonly [name: string]: string } = {
  accountCircle: `${circle}M10 6.5a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM5.8 15.3a5 5 0 0 1 8.4 0`,
  add: "M10 4v12M4 10h12",
  arrowBack: "M16 10H4m5-5l-5 5 5 5",
  arrowForward: "M4 10h12m-5-5l5 5-5 5",
  attachFile: "M13.5 6.5v7a3.5 3.5 0 0 1-7 0V6a2.3 2.3 0 0 1 4.6 0v7a1 1 0 0 1-2 0V7",
  calendarToday: calendar,
  call: phone,
  camera: "M3 7h3.5L8 5h4l1.5 2H17v9H3zM10 9a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  close: "M5.5 5.5l9 9m0-9l-9 9",
  delete: "M4 6h12M8 6V4h4v2M5.5 6l1 11h7l1-11",
  download: "M10 3.5v9m-3.5-3.5l3.5 3.5L13.5 9M4 16.5h12",
  edit: "M4 16l.8-3.4 8.4-8.4 2.6 2.6-8.4 8.4z",
  event: `${calendar}M11 11.5h2.5V14H11z`,
  error: `${circle}M10 6.5v4.5m0 2.5v.010`,
  fastForward: "M3.5 5v10l6-5zM10 5v10l6-5z",
  favorite: heart,
  favoriteOff: `${heart}${off}`,
  folder: "M3 5.5h5l1.5 2H17V16H3z",
  help: `${circle}M8 8.2a2 2 0 1 1 2.7 1.9c-.5.2-.7.5-.7 1.2m0 2.2v.010`,
  home: "M3.5 9.5L10 4l6.5 5.5M5.5 8.5V16h9V8.5",
  info: `${circle}M10 9v4.5m0-7v.010`,
  locationOn: "M10 17.5s-5-5-5-9a5 5 0 0 1 10 0c0 4-5 9-5 9zM10 6.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z",
  lock,
  lockOpen: "M5 9h10v7.5H5zM7 9V6.5a3 3 0 0 1 5.8-1",
  mail: "M3 5h14v10.5H3zM3 6l7 5 7-5",
  menu: "M4 6h12M4 10h12M4 14h12",
  moreVert: "M10 5v.010M10 10v.010M10 15v.010",
  moreHoriz: "M5 10h.010M10 10h.010M15 10h.010",
  notificationsOff: `${bell}${off}`,
  notifications: bell,
  pause: "M7 5v10m6-10v10",
  payment: "M3 5h14v10.5H3zM3 8.5h14M5.5 12.5h3",
  person,
  phone,
  photo: "M3 4.5h14v11.5H3zM5 14l3.5-4 2.5 2.5 2-2 2.5 3.5M13 7.5v.010",
  play: "M7 4.8v10.4l8.2-5.2z",
  print: "M6 8V3.5h8V8M4 8h12v6h-2.5M6 14H4V8m2 4h8v5H6z",
  refresh: "M15.5 10A5.5 5.5 0 1 1 13.7 6M16 3.5V7h-3.5",
  rewind: "M16.5 5v10l-6-5zM10 5v10l-6-5z",
  search: "M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM12.6 12.6L17 17",
  send: "M3.5 10L17 4l-4 13-3-5.5zM10 11.5L17 4",
  settings:
    "M10 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM10 3v2m0 10v2M3 10h2m10 0h2M5 5l1.5 1.5m7 7L15 15M5 15l1.5-1.5m7-7L15 5",
  share: "M14 4.5L6.5 9.5l7.5 5M14 3v3m-7.5 2v3m7.5 2v3",
  shoppingCart: "M3 4h2l1.8 8.5h7.7L16.5 7H5.8M8 16v.010M14 16v.010",
  skipNext: "M5 5v10l7.5-5zM15 5v10",
  skipPrevious: "M15 5v10l-7.5-5zM5 5v10",
  star,
  starHalf: `${star}M10 3v11`,
  starOff: `${star}${off}`,
  stop: "M5.5 5.5h9v9h-9z",
  upload: "M10 13V4M6.5 7.5L10 4l3.5 3.5M4 16.5h12",
  visibility: eye,
  visibilityOff: `${eye}${off}`,
  volumeDown: `${speaker}M13 8.5a2.5 2.5 0 0 1 0 3`,
  volumeMute: speaker,
  volumeOff: `${speaker}${off}`,
  volumeUp: `${speaker}M12.8 8a3 3 0 0 1 0 4m2-6a6 6 0 0 1 0 8`,
  warning: "M10 3.5L17.5 16.5h-15zM10 8.5v4m0 2v.010",
};
