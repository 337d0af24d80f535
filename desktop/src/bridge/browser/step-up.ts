// Sign-in at the provider again, in a page of its own, so that the current screen stays. That page returns to this
// server and sends the result to the waiting page.
import { appHeader } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { startProviderStepUp } from '@recordproof/shared/api/single-sign-on.ts';
import { listenForStepUp } from '../step-up-channel.ts';

export async function stepUpInPopUp(client: Client): Promise<void> {
  const page = window.open('about:blank'); // before any await: browsers open windows only during a user gesture
  if (page === null) throw new ApiError('FORBIDDEN', undefined, { detail: { problem: 'pop-up-blocked' } });
  const { finished, stop } = listenForStepUp();
  try {
    const { url } = await client.call(startProviderStepUp, { body: {}, headers: { [appHeader]: 'browser' } });
    page.location.assign(url);
    const problem = await finished;
    if (problem !== null) throw new ApiError('FORBIDDEN', undefined, { detail: { problem } });
  } catch (error) {
    page.close();
    throw error;
  } finally {
    stop();
  }
}
