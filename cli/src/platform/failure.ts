// Failures as they are reported, in text or JSON, made from any thrown value.
import { TransportError, type TransportFailure } from '@recordproof/shared/api/client.ts';
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import { HttpBroken } from '@recordproof/shared/transfer/ports.ts';
import { TransferError, type TransferFailure } from '@recordproof/shared/transfer/transfer-error.ts';
import { CommandError } from './command-error.ts';
import { type Ending, exitCodes } from './exit-codes.ts';
import { findFileProblem, findNetworkCode } from './system-error.ts';

export type Failure = {
  readonly kind: string;
  readonly ending: Ending;
  readonly message: string;
  readonly tryThis?: string | undefined;
  readonly api?: ApiError;
};

const logInAgain = 'recordproof login';
const tryByKind: Partial<Record<ErrorKind, string>> = {
  USER_LOGIN_ERROR:
    'check the spelling, or sign in as tenant/name or by e-mail address, or: recordproof password reset',
  REGISTRATION_CLOSED: 'with an invitation: recordproof register --invitation <link>',
  SECOND_FACTOR_ERROR: 'wait for the next code of the app, or use a recovery code',
  CHALLENGE_EXPIRED: logInAgain,
  STEP_UP_REQUIRED: 'recordproof step-up, then the command again',
  AUTH_CODE_ERROR: 'run the command again without --code to have a new e-mail sent',
  TICKET_NOT_OWNER: 'administrators: recordproof admin tickets status <ticket> <status>',
  USER_HAS_EXISTED: 'choose another name, or: recordproof login',
  PERMISSION_TOKEN_EXPIRED: logInAgain,
  PERMISSION_TOKEN_INVALID: logInAgain,
  PERMISSION_UNAUTHENTICATED: logInAgain,
  USER_NOT_LOGGED_IN: logInAgain,
  UNAUTHORIZED: logInAgain,
};

const waiting = new Set<ErrorKind>(['USER_ACCOUNT_LOCKED', 'SYSTEM_BUSY']);

function endingOf(error: ApiError): Ending {
  if (error.status === 429 || error.status === 503 || waiting.has(error.kind)) return 'later';
  if (error.status === 401 || error.status === 403) return 'denied';
  return error.status >= 500 ? 'bug' : 'refused';
}

export const toWait = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;

function fromApi(error: ApiError): Failure {
  const ending = endingOf(error);
  const wait = error.retryAfterSeconds === undefined ? 'a little' : toWait(error.retryAfterSeconds);
  const tryThis =
    ending === 'later'
      ? `wait ${wait}, then run the command again`
      : ending === 'bug'
        ? `search the log of the server for ${error.traceId ? `trace id ${error.traceId}` : 'errors at this time'}`
        : tryByKind[error.kind];
  return { kind: error.kind, ending, message: error.message, tryThis, api: error };
}

const tryByTransport: Record<TransportFailure, string> = {
  unreachable: 'check that the server runs and the address is correct: recordproof config get server',
  'timed-out': 'try again, or wait longer with --timeout',
  redirected: 'use the address it leads to: recordproof config set server <address>',
  'not-recordproof': 'check the address: recordproof config get server',
  untrusted: 'trust the certificate authority of your network: recordproof config set ca <file.pem>',
  proxy: 'check HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment',
};

const fromTransport = (message: string, failure: TransportFailure = 'unreachable'): Failure => ({
  kind: 'TRANSPORT',
  ending: 'unreachable',
  message,
  tryThis: tryByTransport[failure],
});

const byTransfer: Record<TransferFailure, readonly [Ending, string | undefined]> = {
  'source-changed': ['damaged', 'run the command again once nothing writes to the file any more'],
  'source-empty': ['refused', undefined],
  'source-not-a-file': ['usage', 'pipe it in: recordproof upload - --name <name>'],
  paused: ['refused', 'recordproof uploads resume <upload>'],
  cancelled: ['refused', 'run the command again to upload from the beginning'],
  'nothing-to-resume': ['refused', 'omit --resume'],
  'wrong-bytes': ['damaged', 'run the command again; if it persists, tell the administrator of the server'],
  'wrong-answer': ['damaged', 'run the command again; if it persists, tell the administrator of the server'],
  'part-refused': ['refused', 'run the command again; if it persists, tell the administrator of the server'],
  'target-exists': ['usage', 'choose another name with --output, or replace it with --force'],
  'no-room': ['refused', 'free some space, then run the same command again: it continues where this one stopped'],
  'too-large': ['refused', undefined],
  'list-full': ['refused', 'clear the finished transfers'],
  'gave-up': ['later', 'run the same command again: it continues where this one stopped'],
};

function fromTransfer(error: TransferError): Failure {
  const [ending, tryThis] = byTransfer[error.failure];
  return { kind: 'TRANSFER', ending, message: error.message, tryThis };
}

/** oclif marks the errors of its parser; the marks differ by class, but each carries an exit code under `oclif`. */
const isParserError = (error: Error): boolean => 'oclif' in error;

/** Without oclif's own hint, and without values: a mistyped `--passwrd=…` must not be repeated. */
const toUsageMessage = (message: string): string =>
  message
    .replace(/\nSee more help with --help$/, '')
    .replace(/(--?[\w-]+)=\S*/g, '$1')
    .replace(/^Expected (--[\w-]+) to be one of: (.*)$/, '$1 must be one of: $2')
    .replace(/^Expected (.*) to be one of: (.*)$/, 'there is no "$1" here; there is: $2')
    .trim();

export function toFailure(thrown: unknown, commandLine: string): Failure {
  if (thrown instanceof CommandError) {
    return { kind: 'FIXABLE', ending: thrown.ending, message: thrown.message, tryThis: thrown.tryThis };
  }
  if (thrown instanceof ApiError) return fromApi(thrown);
  if (thrown instanceof TransportError) return fromTransport(thrown.message, thrown.failure);
  if (thrown instanceof TransferError) return fromTransfer(thrown);
  if (thrown instanceof HttpBroken) return fromTransport(thrown.message);
  return fromOutside(thrown) ?? fromInside(thrown, commandLine);
}

/** Errors of the network or the operating system are no bugs of ours. */
function fromOutside(thrown: unknown): Failure | undefined {
  const code = findNetworkCode(thrown);
  if (code !== undefined) return fromTransport(`the connection to the server broke: ${code}`);
  const message = findFileProblem(thrown);
  return message === undefined ? undefined : { kind: 'FIXABLE', ending: 'refused', message };
}

function fromInside(thrown: unknown, commandLine: string): Failure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (isParserError(error)) {
    const message = toUsageMessage(error.message);
    return { kind: 'USAGE', ending: 'usage', message, tryThis: `${commandLine} --help` };
  }
  const tryThis = 'run it again with --debug and report what it prints';
  return { kind: 'BUG', ending: 'bug', message: `this is a bug: ${error.message}`, tryThis };
}

export const toFailureJson = (failure: Failure): unknown => ({
  error: {
    kind: failure.kind,
    message: failure.message,
    ...(failure.tryThis && { try: failure.tryThis }),
    exitCode: exitCodes[failure.ending].code,
    ...(failure.api && { code: failure.api.code, status: failure.api.status }),
    ...(failure.api?.retryAfterSeconds !== undefined && { retryAfterSeconds: failure.api.retryAfterSeconds }),
    ...(failure.api?.traceId && { traceId: failure.api.traceId }),
    ...(failure.api?.detail && { detail: failure.api.detail }),
  },
});

/** The stacks of an error and of its causes: shown only on request. */
export function toStacks(thrown: unknown): string {
  const stacks: string[] = [];
  for (let error = thrown; error instanceof Error && stacks.length < 5; error = error.cause) {
    stacks.push(error.stack ?? error.message);
  }
  return stacks.join('\ncaused by: ');
}
