// A server that is killed right after the answer of a witness, an authority or a calendar: nothing is half done, no
// target falls back, and the next start continues. KILLS=60 before the line kills longer.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { afterAll, expect } from 'vitest';
import { readConfig } from '../../server/src/config/config.ts';
import { testSigner } from '../support/note-keys.ts';
import { type Answering, honestAuthority, honestWitness, openCalendar, serve } from '../support/outside-services.ts';
import { testWith } from '../support/programs.ts';
import { type ProvingServer, startProvingServer } from '../support/proving-server.ts';
import { makeAuthority } from '../support/time-stamp-authority.ts';
import { storeProxied } from '../support/uploads.ts';
import { makeLedgerFolder } from '../support/witnesses.ts';

const kills = Number(process.env.KILLS ?? 6);
const scratch = mkdtempSync(join(tmpdir(), 'stamp-kills-'));
afterAll(() => rmSync(scratch, { recursive: true }));

type State = Readonly<Record<'WITNESS' | 'RFC3161' | 'OTS', number>>;

/** Of a stopped server: the newest checkpoint of each target, which is that of its newest voucher. */
async function readState(folder: string): Promise<State> {
  const { db, close } = await openDatabase((await readConfig(['--data', folder], {})).db);
  try {
    const targets = await db.selectFrom('voucher_target').select(['name', 'vouched_size']).execute();
    const vouchers = await db.selectFrom('voucher').select(['kind', 'checkpoint_size', 'content']).execute();
    const newest = (kind: string, name: (target: string) => boolean): number => {
      const own = vouchers.filter(voucher => voucher.kind === kind);
      const size = Math.max(0, ...own.map(voucher => voucher.checkpoint_size));
      expect(own.every(({ content }) => content.length > 0)).toBe(true);
      expect([kind, targets.find(target => name(target.name))?.vouched_size ?? 0]).toEqual([kind, size]);
      return size;
    };
    return {
      WITNESS: newest('WITNESS', name => name.includes('+')),
      RFC3161: newest('RFC3161', name => name === 'rfc3161'),
      OTS: newest('OTS', name => name === 'opentimestamps'),
    };
  } finally {
    await close();
  }
}

testWith('openssl')(`${kills} kills after a response lose no voucher`, { timeout: 3_600_000 }, async () => {
  await using ledger = await makeLedgerFolder('ledger.example/log');
  const authority = makeAuthority(scratch);
  const signer = testSigner('COSIGNATURE', 'one.example');
  let [server, victim]: [ProvingServer | undefined, string] = [undefined, ''];
  let killed: Promise<void> | undefined;
  const killing =
    (name: string, answering: Answering): Answering =>
    async (request, response) => {
      if (name === victim) response.once('finish', () => (killed ??= server?.kill()));
      await answering(request, response);
    };
  await using witness = await serve(killing('WITNESS', honestWitness(signer, ledger.logKey)));
  await using stamps = await serve(killing('RFC3161', honestAuthority(authority)));
  await using calendar = await serve(killing('OTS', openCalendar('https://one.example').answering));
  const env = {
    ...ledger.env,
    RECORDPROOF_PROFILE: 'laptop',
    RECORDPROOF_LEDGER_WITNESSES: `${witness.url} ${toTypedKeyText(signer)}`,
    RECORDPROOF_LEDGER_STAMP_AUTHORITIES: `${stamps.url} roots=${authority.rootsPath}`,
    RECORDPROOF_LEDGER_STAMP_PAUSE_SECONDS: '1',
    RECORDPROOF_LEDGER_CALENDARS: calendar.url,
    RECORDPROOF_LEDGER_CALENDAR_PAUSE_SECONDS: '1',
  };
  const kinds = ['WITNESS', 'RFC3161', 'OTS'] as const;
  let last: State = { WITNESS: 0, RFC3161: 0, OTS: 0 };
  for (let round = 0; round <= kills; round++) {
    victim = round === kills ? '' : (kinds[round % kinds.length] ?? '');
    killed = undefined;
    server = await startProvingServer(ledger.folder, env);
    // The server may die during the call.
    await storeProxied(server.root, randomBytes(2000)).catch(() => undefined);
    if (victim === '') await expect.poll(() => readState(ledger.folder), { timeout: 60_000 }).toSatisfy(isEven);
    else await expect.poll(() => killed !== undefined, { timeout: 60_000 }).toBe(true);
    await killed;
    await server[Symbol.asyncDispose]();
    const state = await readState(ledger.folder);
    for (const kind of kinds) expect([kind, state[kind]]).toEqual([kind, Math.max(state[kind], last[kind])]);
    last = state;
  }
});

/** All targets have vouched for the same checkpoint. */
const isEven = ({ WITNESS, RFC3161, OTS }: State): boolean => WITNESS > 0 && WITNESS === RFC3161 && RFC3161 === OTS;
