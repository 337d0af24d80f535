// Messages from the page of a step-up at a provider to the page that opened it.
const channelName = 'recordproof-step-up';

/** `problem`: why it was rejected; null where the session is fresh. */
export function announceStepUp(problem: string | null): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(problem);
  channel.close();
}

export function listenForStepUp(): { readonly finished: Promise<unknown>; stop(): void } {
  const channel = new BroadcastChannel(channelName);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  channel.onmessage = ({ data }) => resolve(data);
  return { finished: promise, stop: () => channel.close() };
}
