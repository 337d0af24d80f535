// Moves many envelopes under the active key of a provider, each standing or falling alone: opened, sealed anew, and proven
// to open to the same key before anybody may use the new one. Stores nothing.
import type { KeyObject } from 'node:crypto';
import { inParallel } from '../in-parallel.ts';
import {
  assertReopened,
  attempt,
  checkDataKey,
  checkOpened,
  type Envelope,
  type EnvelopeBinding,
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  toEnvelope,
  toKeyFailure,
  toPurpose,
  toUnwrapWish,
  toWrapFailure,
  type UnwrapWish,
  type WrappedKey,
  type WrapWish,
} from './envelope.ts';
import type { KeyPurpose } from './key-check.ts';

type Rewrapping = { readonly source: Envelope; readonly binding: EnvelopeBinding };
type Opening = { readonly source: Envelope; readonly purpose: KeyPurpose };

export async function rewrapMany(
  providers: readonly KeyProvider[],
  target: KeyProvider,
  items: readonly Rewrapping[],
): Promise<Outcome<Envelope>[]> {
  const openings = items.map(({ source, binding }) => ({ source, purpose: toPurpose(binding) }));
  const purposeAt = (place: number) => (openings[place] as Opening).purpose;
  const digestAt = (place: number) => purposeAt(place).digest;
  const dataKeys = await openMany(providers, openings);
  const sealed = await onlyGood(
    dataKeys,
    (dataKey, place) => ({ dataKey, binding: digestAt(place) }),
    wrapMany(target),
  );
  const candidates = sealed.map((wrapped, place) => {
    const dataKey = dataKeys[place];
    if (dataKey instanceof KeyProviderError) return dataKey;
    if (wrapped instanceof KeyProviderError) return toWrapFailure(wrapped);
    if (dataKey === undefined) return incomplete();
    return attempt(() => toEnvelope(target, wrapped, { dataKey, purpose: purposeAt(place) }));
  });
  const reopened = await onlyGood(
    candidates,
    (wrapped, place) => ({ wrapped, binding: digestAt(place) }),
    unwrapMany(target),
  );
  return candidates.map((candidate, place) => {
    if (candidate instanceof KeyProviderError) return candidate;
    const [before, after] = [dataKeys[place], reopened[place]];
    if (before === undefined || before instanceof KeyProviderError || after === undefined) return incomplete();
    return attempt(() => {
      assertReopened(before, after);
      return candidate;
    });
  });
}

const incomplete = () =>
  new KeyProviderError('INVALID_RESPONSE', 'the key provider answered for fewer keys than asked');

/** Each provider is asked for all that are its own. */
async function openMany(
  providers: readonly KeyProvider[],
  openings: readonly Opening[],
): Promise<Outcome<KeyObject>[]> {
  const outcomes: Outcome<KeyObject>[] = [];
  const asked = new Map<KeyProvider, { readonly places: number[]; readonly wishes: UnwrapWish[] }>();
  for (const [place, { source, purpose }] of openings.entries()) {
    const found = attempt(() => toUnwrapWish(providers, source, purpose.digest));
    if (found instanceof KeyProviderError) outcomes[place] = found;
    else {
      const own = asked.get(found.provider) ?? { places: [], wishes: [] };
      asked.set(found.provider, own);
      own.places.push(place);
      own.wishes.push(found.wish);
    }
  }
  for (const [provider, { places, wishes }] of asked) {
    const answers = await unwrapMany(provider)(wishes);
    for (const [index, place] of places.entries())
      outcomes[place] = checkAnswer(openings[place] as Opening, answers[index] ?? incomplete());
  }
  return outcomes;
}

const checkAnswer = ({ source, purpose }: Opening, answer: Outcome<KeyObject>): Outcome<KeyObject> =>
  answer instanceof KeyProviderError ? answer : attempt(() => checkOpened(source, answer, purpose));

/** Asks for those that are no failures yet, and puts the answers in their places. */
async function onlyGood<T, W, R>(
  outcomes: readonly Outcome<T>[],
  toWish: (good: T, place: number) => W,
  ask: (wishes: readonly W[]) => Promise<readonly Outcome<R>[]>,
): Promise<Outcome<R>[]> {
  const wishes = outcomes.flatMap((outcome, place) =>
    outcome instanceof KeyProviderError ? [] : [toWish(outcome, place)],
  );
  const answers = wishes.length === 0 ? [] : await ask(wishes);
  let next = 0;
  return outcomes.map(outcome => (outcome instanceof KeyProviderError ? outcome : (answers[next++] as Outcome<R>)));
}

const wrapMany =
  (provider: KeyProvider) =>
  (wishes: readonly WrapWish[]): Promise<readonly Outcome<WrappedKey>[]> =>
    provider.many
      ? inSlices(wishes, provider.many.mostAtOnce, provider.many.wrap)
      : inParallel(wishes, ({ dataKey, binding }) => provider.wrap(dataKey, binding).catch(toKeyFailure));

const unwrapMany =
  (provider: KeyProvider) =>
  async (wishes: readonly UnwrapWish[]): Promise<Outcome<KeyObject>[]> => {
    const answers = await (provider.many
      ? inSlices(wishes, provider.many.mostAtOnce, provider.many.unwrap)
      : inParallel(wishes, ({ wrapped, binding }) => provider.unwrap(wrapped, binding).catch(toKeyFailure)));
    return answers.map(answer => (answer instanceof KeyProviderError ? answer : attempt(() => checkDataKey(answer))));
  };

async function inSlices<W, R>(
  wishes: readonly W[],
  size: number,
  ask: (wishes: readonly W[]) => Promise<readonly Outcome<R>[]>,
): Promise<Outcome<R>[]> {
  const outcomes: Outcome<R>[] = [];
  for (let from = 0; from < wishes.length; from += size) {
    const slice = wishes.slice(from, from + size);
    try {
      outcomes.push(...(await ask(slice)));
    } catch (error) {
      outcomes.push(...slice.map(() => toKeyFailure(error)));
    }
  }
  return outcomes;
}
