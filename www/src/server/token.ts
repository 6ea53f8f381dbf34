/** The backend's token, from the page's address; without one, the page simulates a server. */
export const token = new URLSearchParams(location.search).get("token");

export const isLive = token !== null;
