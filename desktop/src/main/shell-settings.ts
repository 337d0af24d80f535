// What a person has chosen about the program itself. A file of an older program lacks what came later.
import type { Language } from '@recordproof/shared/words/words.ts';
import { z } from 'zod';
import type { ShellSettings } from '../bridge/bridge.ts';
import { openPrivateJson, type PrivateJson } from './private-json.ts';

export function openShellSettings(path: string, language: Language): Promise<PrivateJson<ShellSettings>> {
  const first: ShellSettings = { startsWithSystem: false, showsNotifications: true, closesToTray: true, language };
  const shape = z.object({
    startsWithSystem: z.boolean(),
    showsNotifications: z.boolean(),
    closesToTray: z.boolean().default(first.closesToTray),
    language: z.enum(['en', 'zh']).default(language),
  });
  return openPrivateJson({ path, shape, first });
}
