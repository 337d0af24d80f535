// Moves many envelopes under the active key of a provider, each standing or falling alone: opened, sealed anew, and proven
// to open to the same key before anybody may use the new one. Stores nothing.
import type { KeyObject } from 'node:crypto';
import { inParallel } from '../in-parallel.ts';
import {
  type Envelope,
  type EnvelopeBinding,
  isSameKey,
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  toBindingDigest,
  toUnwrapWish,
  type UnwrapWish,
  type WrappedKey,
  type WrapWish,
} from './envelope.ts';

type Rewrapping = { readonly source: Envelope; readonly binding: EnvelopeBinding };

export async function rewrapMany(
  providers: readonly KeyProvider[],
  target: KeyProvider,
  items: readonly Rewrapping[],
): Promise<Outcome<Envelope>[]> {
  const dataKeys = await openMany(
    providers,
    items.map(({ source, binding }) => ({ envelope: source, binding })),
  );
  const sealed = await onlyGood(dataKeys, (keys, at) =>
    wrapMany(
      target,
      keys.map((dataKey, index) => ({ dataKey, binding: toBindingDigest((items[at(index)] as Rewrapping).binding) })),
    ),
  );
  const candidates = sealed.map((wrapped, index) =>
    wrapped instanceof KeyProviderError ? wrapped : toEnvelope(target, wrapped, items[index] as Rewrapping),
  );
  const reopened = await onlyGood(candidates, (envelopes, at) =>
    openMany(
      [target],
      envelopes.map((envelope, index) => ({ envelope, binding: (items[at(index)] as Rewrapping).binding })),
    ),
  );
  return candidates.map((candidate, index) => {
    const [before, after] = [dataKeys[index], reopened[index]];
    if (candidate instanceof KeyProviderError) return candidate;
    if (after instanceof KeyProviderError) return after;
    if (before === undefined || before instanceof KeyProviderError || after === undefined || !isSameKey(before, after))
      return new KeyProviderError('INVALID_RESPONSE', 'the rewrapped envelope does not open to the same key');
    return candidate;
  });
}

const toEnvelope = (target: KeyProvider, wrapped: WrappedKey, { binding }: Rewrapping): Envelope => ({
  ...wrapped,
  provider: target.id,
  contract: target.contract,
  aadDigest: toBindingDigest(binding).toString('hex'),
});

type Opening = { readonly envelope: Envelope; readonly binding: EnvelopeBinding };

/** Each provider is asked once for all that are its own. */
async function openMany(
  providers: readonly KeyProvider[],
  openings: readonly Opening[],
): Promise<Outcome<KeyObject>[]> {
  const outcomes: Outcome<KeyObject>[] = [];
  const asked = new Map<KeyProvider, { readonly index: number; readonly wish: UnwrapWish }[]>();
  for (const [index, { envelope, binding }] of openings.entries()) {
    try {
      const { provider, wish } = toUnwrapWish(providers, envelope, binding);
      asked.set(provider, [...(asked.get(provider) ?? []), { index, wish }]);
    } catch (error) {
      outcomes[index] = toFailure(error);
    }
  }
  for (const [provider, wishes] of asked) {
    const answers = await unwrapMany(
      provider,
      wishes.map(({ wish }) => wish),
    );
    for (const [place, { index }] of wishes.entries()) outcomes[index] = answers[place] as Outcome<KeyObject>;
  }
  return outcomes;
}

/** Does the work for those that are no failures yet, and puts its answers in their places. */
async function onlyGood<T, R>(
  outcomes: readonly Outcome<T>[],
  work: (good: readonly T[], at: (index: number) => number) => Promise<readonly Outcome<R>[]>,
): Promise<Outcome<R>[]> {
  const places = outcomes.flatMap((outcome, index) => (outcome instanceof KeyProviderError ? [] : [index]));
  const good = places.map(place => outcomes[place] as T);
  const answers = good.length === 0 ? [] : await work(good, index => places[index] as number);
  const byPlace = new Map(places.map((place, index) => [place, answers[index] as Outcome<R>]));
  return outcomes.map((outcome, index) => byPlace.get(index) ?? (outcome as KeyProviderError));
}

const wrapMany = (provider: KeyProvider, wishes: readonly WrapWish[]): Promise<readonly Outcome<WrappedKey>[]> =>
  provider.many
    ? inSlices(wishes, provider.many.mostAtOnce, provider.many.wrap)
    : inParallel(wishes, ({ dataKey, binding }) => provider.wrap(dataKey, binding).catch(toFailure));

const unwrapMany = (provider: KeyProvider, wishes: readonly UnwrapWish[]): Promise<readonly Outcome<KeyObject>[]> =>
  provider.many
    ? inSlices(wishes, provider.many.mostAtOnce, provider.many.unwrap)
    : inParallel(wishes, ({ wrapped, binding }) => provider.unwrap(wrapped, binding).catch(toFailure));

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
      outcomes.push(...slice.map(() => toFailure(error)));
    }
  }
  return outcomes;
}

const toFailure = (error: unknown): KeyProviderError =>
  error instanceof KeyProviderError ? error : new KeyProviderError('INTERNAL', 'the key provider broke', error);
