// Start of the page, a script of its own that loads before that of the app and sends its first requests.
import { sendEarlyRequests } from './early-requests.ts';

/** Well within the minute by which a token is renewed before it expires. */
const keptMs = 10_000;

const early = sendEarlyRequests((url, init) => fetch(url, init), location.origin, location.hash);
const otherTabs = new BroadcastChannel('recordproof-session');
otherTabs.onmessage = early.forget;
setTimeout(() => {
  otherTabs.close();
  early.forget();
}, keptMs);

/** For the client of the app. */
export const earlyFetch = early.fetch;
