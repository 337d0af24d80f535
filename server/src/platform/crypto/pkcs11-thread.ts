// Worker thread that calls the token, one request at a time, because every PKCS#11 call blocks. The optional package is
// loaded only here.
import type { KeyObject } from 'node:crypto';
import { answerQuestions } from '@recordproof/shared/node/threads.ts';
import {
  type KeyFailure,
  KeyProviderError,
  type Outcome,
  toKeyFailure,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';
import { loadPkcs11, toModuleFailure } from './pkcs11-library.ts';
import { remedy } from './pkcs11-package.ts';
import { Token, type TokenKeyAddress } from './pkcs11-token.ts';

type TokenLogin = { readonly keyAddress: TokenKeyAddress; readonly pin: string };
type FindTask = TokenLogin & { readonly kind: 'find' };
export type WrapTask = TokenLogin & { readonly kind: 'wrap'; readonly wishes: readonly WrapRequest[] };
export type UnwrapTask = TokenLogin & { readonly kind: 'unwrap'; readonly wishes: readonly UnwrapRequest[] };
export type TokenTask = FindTask | WrapTask | UnwrapTask;

/** A KeyProviderError as plain data: errors lose their class between threads. */
export type TokenFailure = { readonly category: KeyFailure; readonly message: string };
export type TokenOutcome<T> = { readonly good: T } | { readonly failure: TokenFailure };
export type TokenAnswer =
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'wrapped'; readonly outcomes: readonly TokenOutcome<WrappedKey>[] }
  | { readonly kind: 'unwrapped'; readonly outcomes: readonly TokenOutcome<KeyObject>[] };

let token: Token | undefined;

async function openToken(keyAddress: TokenKeyAddress): Promise<Token> {
  const library = await loadPkcs11().catch(cause => {
    throw new KeyProviderError('CONFIGURATION', `the package pkcs11js cannot be loaded; ${remedy}`, cause);
  });
  try {
    return new Token(library, keyAddress);
  } catch (error) {
    if (error instanceof library.Pkcs11Error) throw toModuleFailure(library, error);
    const message = `the PKCS#11 module ${keyAddress.module} cannot be loaded; check pkcs11-module`;
    throw new KeyProviderError('CONFIGURATION', message, error);
  }
}

const toFailure = ({ category, message }: KeyProviderError): TokenFailure => ({ category, message });

const toOutcome = <T>(outcome: Outcome<T>): TokenOutcome<T> =>
  outcome instanceof KeyProviderError ? { failure: toFailure(outcome) } : { good: outcome };

async function perform(task: TokenTask): Promise<TokenAnswer> {
  token ??= await openToken(task.keyAddress);
  switch (task.kind) {
    case 'find':
      return { kind: 'version', version: token.findVersion(task.pin) };
    case 'wrap':
      return { kind: 'wrapped', outcomes: token.wrap(task.pin, task.wishes).map(toOutcome) };
    case 'unwrap':
      return { kind: 'unwrapped', outcomes: token.unwrap(task.pin, task.wishes).map(toOutcome) };
  }
}

answerQuestions<TokenTask, TokenAnswer>({
  perform,
  toFailure: error => toFailure(toKeyFailure(error)),
  isSequential: true,
});
