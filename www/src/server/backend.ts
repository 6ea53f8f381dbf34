/** Whether the page has a backend: it opens this address for a browser that has signed in. Without one, the page simulates a server. */
export const isLive = new URLSearchParams(location.search).has("backend");
