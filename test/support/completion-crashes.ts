// Kills a server at every commit during the completion of an upload, one after the other, and checks each time that the
// next server completes it.

import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { expect } from 'vitest';
import { pattern } from './bytes.ts';
import type { Installation } from './installation.ts';
import { digestOf, sendDirect, sendProxied } from './uploads.ts';

/** Longer than any lease. */
const leaseMs = 120_000;
const dayMs = 24 * 3600_000;

/** Returns the number of commits at which a server was killed. `step` n uses every n-th commit only. */
export async function crashAtEveryCommit(
  installation: Installation,
  kind: 'proxied' | 'direct',
  step = 1,
): Promise<number> {
  let aheadMs = 0;
  let kills = 0;
  for (let crashPoint = 1; ; crashPoint += step) {
    const bytes = await pattern(10_000, crashPoint);
    const first = await installation.start(aheadMs);
    const alice = await first.admin();
    const clientId = kind === 'proxied' ? await sendProxied(alice, bytes) : (await sendDirect(alice, bytes)).clientId;
    await first.tell(`die ${crashPoint}`);
    const survived = await complete(alice, kind, clientId).then(
      () => true,
      () => false,
    );
    if (survived) {
      await first.stop();
      break;
    }
    expect(await first.child.ended).toBe('SIGKILL');
    kills += 1;
    // Work that was due when it died is done first: the saga itself is not free before its lease has ended.
    const cleaner = await installation.start(aheadMs + 1000);
    await cleaner.tell('drain');
    await cleaner.stop();
    aheadMs += leaseMs;
    const second = await installation.start(aheadMs);
    const answer = await complete(await second.admin(), kind, clientId);
    expect(answer.contentHash, `after the crash at moment ${crashPoint}`).toBe(digestOf(bytes));
    expect(await complete(await second.admin(), kind, clientId)).toEqual(answer);
    await second.stop();
  }
  const last = await installation.start(aheadMs + 4 * dayMs);
  await last.tell('drain');
  await last.stop();
  await installation.checkEverything();
  await installation.checkAllEnded();
  return kills;
}

type Completer = { call: import('./app.ts').Person['call'] };

const complete = ({ call }: Completer, kind: 'proxied' | 'direct', clientId: string) =>
  kind === 'proxied'
    ? call(sessionApi.completeUploadSession, { params: { clientId } })
    : call(directApi.completeDirectUpload, { params: { clientId }, body: { parts: [] } });
