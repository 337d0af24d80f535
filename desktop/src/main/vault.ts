// Vault of login tokens, encrypted by the operating system. Without its encryption no token is written, and people sign in
// after each start.
import { z } from 'zod';
import type { Token } from '../engine/session-ports.ts';
import { openPrivateJson } from './private-json.ts';

/** The part of Electron's safeStorage that is used here. */
export type SafeStorage = {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Buffer;
  decryptString(encrypted: Buffer): string;
  /** Linux only. `basic_text` encrypts with a public password. */
  getSelectedStorageBackend?(): string;
};

const keptToken = z.object({ token: z.string(), issuedAt: z.number(), expiresAt: z.number() });

export type Vault = {
  readonly canKeep: boolean;
  find(id: string): Token | undefined;
  /** Throws where the token could not be encrypted. */
  keep(id: string, token: Token): Promise<void>;
  forget(id: string): Promise<void>;
};

const unsafe = 'this system cannot encrypt the session, so it is not stored: sign in again after the next start';

const isSafe = (safe: SafeStorage): boolean =>
  safe.isEncryptionAvailable() && safe.getSelectedStorageBackend?.() !== 'basic_text';

export async function openVault(safe: SafeStorage, path: string): Promise<Vault> {
  const shape = z.record(z.string(), z.string());
  const file = await openPrivateJson({ path, shape, first: {} });
  const canKeep = isSafe(safe);

  function decrypt(encrypted: string): Token | undefined {
    try {
      return keptToken.parse(JSON.parse(safe.decryptString(Buffer.from(encrypted, 'base64'))));
    } catch {
      // Of another user or another keyring.
      return undefined;
    }
  }

  return {
    canKeep,
    find(id) {
      const encrypted = file.get()[id];
      return canKeep && encrypted !== undefined ? decrypt(encrypted) : undefined;
    },
    async keep(id, token) {
      if (!canKeep) throw new Error(unsafe);
      const encrypted = safe.encryptString(JSON.stringify(token)).toString('base64');
      await file.set({ ...file.get(), [id]: encrypted });
    },
    async forget(id) {
      const { [id]: forgotten, ...kept } = file.get();
      if (forgotten !== undefined) await file.set(kept);
    },
  };
}
