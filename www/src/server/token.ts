/** The backend's token stands in the page's address; without one, the page plays a server itself. */
export const token = new URLSearchParams(location.search).get("token");

export const isLive = token !== null;
