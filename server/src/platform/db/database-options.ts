import type { Secret } from '../secret.ts';

export type DatabaseOptions = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: Secret; poolSize: number };
