// Queries to issuer and chain, with caching: keys for five minutes, roots for thirty seconds, a status never. No token,
// tenant or cookie is ever sent.
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { keyLocationOf, statusLocationOf } from '@recordproof/shared/evidence/proof-entries.ts';
import type { OnlineOptions } from '../options.ts';
import {
  type ChainRoot,
  type LiveEvidence,
  type Lookup,
  parseKeyAnswer,
  parseRootAnswer,
  parseStatusAnswer,
} from '../verify/live-evidence.ts';
import type { TrustedKey } from '../verify/trusted-key.ts';
import { isLoopbackHost } from './address-guard.ts';
import { type Answer, type AnswerForm, type Guard, guardedGet } from './guarded-get.ts';
import { listNamedUrls, parseOnlineSettings, toChainUrl, toUrlUnder } from './online-settings.ts';

type OnlineTuning = Partial<Pick<Guard, 'connectTimeoutMillis' | 'requestTimeoutMillis' | 'resolve' | 'ca'>> & {
  now?: () => number;
  /** Called before each wait requested by the server. If absent, there is no waiting: a service has other clients. */
  onWait?: (host: string, seconds: number) => void;
};

const keyLifetimeMillis = 5 * 60_000;
const rootLifetimeMillis = 30_000;

/** Throws UsageError for unusable options. Reusable for many verifications; connects lazily. */
export function openOnlineEvidence(options: OnlineOptions, tuning: OnlineTuning = {}): LiveEvidence {
  const settings = parseOnlineSettings(options);
  const { issuerBase, chainTemplate, ledgerBase, allowedHosts } = settings;
  const { now = Date.now, onWait, ...network } = tuning;
  const guard: Guard = {
    allowedHosts,
    loopbackHosts: listNamedUrls(settings)
      .filter(({ hostname }) => isLoopbackHost(hostname))
      .map(({ host }) => host),
    allowHttp: options.allowHttp,
    allowPrivateAddresses: options.allowPrivateAddresses,
    connectTimeoutMillis: 3000,
    requestTimeoutMillis: 5000,
    ...network,
  };
  const get = (url: URL, form: AnswerForm = 'json'): Promise<Answer> => getWithRetries(url, guard, form, onWait);
  const keys = new ExpiringCache<TrustedKey>(keyLifetimeMillis, now);
  const roots = new ExpiringCache<ChainRoot>(rootLifetimeMillis, now);
  return {
    findIssuerKey: (keyId, keyVersion) => {
      const url = toUrlUnder(issuerBase, keyLocationOf(keyId, keyVersion));
      return keys.use(url, async () => toLookup(await get(url), parseKeyAnswer));
    },
    findStatus: async proofId => {
      const url = toUrlUnder(issuerBase, statusLocationOf(proofId));
      return toLookup(await get(url), parseStatusAnswer);
    },
    findChainRoot: address => {
      const url = toChainUrl(chainTemplate, address);
      return roots.use(url, async () => toLookup(await get(url), parseRootAnswer));
    },
    readLedger:
      ledgerBase &&
      rememberingTiles(async path => toLookup(await get(toUrlUnder(ledgerBase, `/${path}`), 'bytes'), bytes => bytes)),
  };
}

const mostAnswers = 1000;

/** Expiring cache of found answers; the oldest are evicted first. */
class ExpiringCache<T> {
  readonly #answers = new BoundedMap<string, { lookup: Lookup<T>; until: number }>(mostAnswers);
  readonly #lifetimeMillis: number;
  readonly #now: () => number;

  constructor(lifetimeMillis: number, now: () => number) {
    this.#lifetimeMillis = lifetimeMillis;
    this.#now = now;
  }

  async use({ href }: URL, ask: () => Promise<Lookup<T>>): Promise<Lookup<T>> {
    const cached = this.#answers.get(href);
    if (cached !== undefined && cached.until > this.#now()) return cached.lookup;
    const lookup = await ask();
    if (lookup.kind === 'found') this.#answers.set(href, { lookup, until: this.#now() + this.#lifetimeMillis });
    return lookup;
  }
}

type ReadLedger = NonNullable<LiveEvidence['readLedger']>;
const mostTiles = 32;

/** Tiles never change, and proofs of one ledger need the same ones. */
function rememberingTiles(read: ReadLedger): ReadLedger {
  const tiles = new BoundedMap<string, Lookup<Uint8Array>>(mostTiles);
  return async path => {
    const cached = tiles.use(path);
    if (cached !== undefined) return cached;
    const answer = await read(path);
    if (answer.kind === 'found' && path.startsWith('tile/')) tiles.set(path, answer);
    return answer;
  };
}

/** Longer or repeated waits count as no answer. */
const maxWaitSeconds = 120;
const maxWaits = 5;

async function getWithRetries(
  url: URL,
  guard: Guard,
  form: AnswerForm,
  onWait: OnlineTuning['onWait'],
): Promise<Answer> {
  for (let waits = 0; ; waits += 1) {
    const answer = await guardedGet(url, guard, form);
    const seconds = answer.kind === 'refused' ? answer.retryAfterSeconds : undefined;
    if (seconds === undefined || seconds > maxWaitSeconds || waits === maxWaits || onWait === undefined) return answer;
    onWait(url.host, seconds);
    await sleep(seconds * 1000);
  }
}

function toLookup<T>(answer: Answer, parse: (bytes: Uint8Array) => T): Lookup<T> {
  if (answer.kind === 'not-found') return { kind: 'unknown' };
  if (answer.kind === 'refused') return { kind: 'unavailable', reason: answer.code };
  try {
    return { kind: 'found', value: parse(answer.bytes) };
  } catch {
    return { kind: 'unavailable', reason: 'ANSWER_MALFORMED' };
  }
}
