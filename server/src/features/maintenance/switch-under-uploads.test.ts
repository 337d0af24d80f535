// Direct uploads while maintenance is switched on: what was acknowledged stays, and what was rejected can be repeated.

import { completeDirectUpload } from '@recordproof/shared/api/direct-uploads.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import type { Person } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { completeDirect, cut, digestOf, putSigned, startDirect } from '../../../../test/support/uploads.ts';
import { localCall } from '../../platform/call.ts';
import { getDefaultTenant } from '../accounts/index.ts';
import { setMaintenance } from './index.ts';

const message = 'Back at 18:00 UTC.';
const chunkSize = 4096;
const partsOfFile = 3;
const rejection = { status: 503, code: 40008, data: { detail: { message } } };

type Answer = { readonly status: number };
type Request = { readonly what: string; readonly send: () => Promise<Answer> };

async function toAnswer(asked: Promise<Response>): Promise<Answer> {
  const response = await asked;
  const text = await response.text();
  return { ...(text === '' ? {} : (JSON.parse(text) as object)), status: response.status };
}

/** Whether it was acknowledged; anything but that and the message of maintenance fails the test. */
function isAcknowledged(answer: Answer, what: string): boolean {
  if (answer.status !== 200) expect(answer, what).toMatchObject(rejection);
  return answer.status === 200;
}

async function startUpload(person: Person, seed: number) {
  const bytes = await pattern(partsOfFile * chunkSize, seed);
  const { clientId, parts } = await startDirect(person, bytes, { chunkSize });
  const puts = parts.map(
    (part): Request => ({
      what: `part ${part.index} of file ${seed}`,
      send: () => toAnswer(putSigned(part, cut(bytes, chunkSize, part.index))),
    }),
  );
  const path = completeDirectUpload.path.replace('{clientId}', clientId);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"parts":[]}' };
  const complete: Request = {
    what: `completion of file ${seed}`,
    send: () => toAnswer(person.fetch(path, init)),
  };
  return { bytes, clientId, puts, complete };
}

eachApp(start => {
  test('parts and completions sent while maintenance begins are either acknowledged or rejected', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { database } = app.app;
    const call = localCall('test', await getDefaultTenant(database.db), app.clock.now());
    const turn = (change: Parameters<typeof setMaintenance>[2]) =>
      setMaintenance({ database, clock: app.clock }, call, change);
    const ada = await app.person('ada');
    const whole = await Promise.all([1, 2, 3, 4].map(seed => startUpload(ada, seed)));
    const begun = await Promise.all([5, 6, 7, 8].map(seed => startUpload(ada, seed)));
    for (const { puts } of whole) await Promise.all(puts.map(put => put.send()));

    const requests = [...whole.map(({ complete }) => complete), ...begun.flatMap(({ puts }) => puts)];
    const [before, after] = [requests.filter((_, nth) => nth % 2 === 0), requests.filter((_, nth) => nth % 2 === 1)];
    const under = before.map(({ send }) => send());
    await Promise.race(under);
    const switched = turn({ isOn: true, message });
    const answers = await Promise.all([...under, ...after.map(({ send }) => send())]);
    await switched;
    const sent = [...before, ...after];
    const rejected = sent.filter(({ what }, nth) => !isAcknowledged(answers[nth] as Answer, what));
    for (const { what, send } of sent) expect(await send(), what).toMatchObject(rejection);
    await app.drain();

    await turn({ isOn: false });
    app.clock.advance(60_000); // as long as the rejection says; what waited goes on by itself
    await app.drain();
    for (const { what, send } of rejected) expect((await send()).status, what).toBe(200);
    for (const { clientId } of begun) await completeDirect(ada, clientId); // reads every part, also those of before
    await app.drain();
    const { records } = await ada.call(listFiles, { query: { size: 100 } });
    const digests = [...whole, ...begun].map(({ bytes }) => digestOf(bytes));
    expect(records.map(({ contentHash }) => contentHash).sort()).toEqual(digests.sort());
    await checkEverything(app);
  });
});
