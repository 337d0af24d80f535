// Lifecycle settings of the crypto suites, one set per suite in the catalogue, checked against it and each other. They
// can restrict what the program allows, never extend it.
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { instant, type Setting, settingsOf, yesOrNo } from '@recordproof/shared/settings/setting.ts';
import {
  knownSuites,
  type Lifecycle,
  type Lifecycles,
  rejectLifecycle,
  type SuiteId,
} from '../platform/crypto/suite-catalogue.ts';

export const suitePrefix = 'CRYPTO_SUITES_';

const parts = {
  deprecatedAt: { word: 'deprecated-at', schema: instant.optional(), help: 'new writes with the suite are rejected' },
  disabledAt: {
    word: 'disabled-at',
    schema: instant.optional(),
    help: 'reads of data written with the suite are rejected',
  },
  productionWriteAllowed: {
    word: 'production-write-allowed',
    schema: yesOrNo.optional(),
    help: 'false: the suite is not allowed for new writes',
  },
} as const;
type Part = keyof typeof parts;

type SuiteSettings = Readonly<Record<`${SuiteId} ${Part}`, Setting>>;

const define = settingsOf('suites');
const ids: readonly SuiteId[] = knownSuites.map(({ id }) => id);
const partNames = Object.keys(parts) as Part[];

const toHelp = (id: SuiteId, part: Part): string =>
  part === 'productionWriteAllowed' ? `${id}: ${parts[part].help}` : `${id}: time after which ${parts[part].help}`;

const toRecord = <Name extends string, T>(entries: readonly (readonly [Name, T])[]) =>
  Object.fromEntries(entries) as Readonly<Record<Name, T>>;

export const suiteSettings: SuiteSettings = toRecord(
  ids.flatMap(id =>
    partNames.map(part => {
      const { word, schema } = parts[part];
      const setting: Setting = define(`crypto.suites.${id.toLowerCase()}.${word}`, schema, toHelp(id, part));
      return [`${id} ${part}`, setting] as const;
    }),
  ),
);

/** `read` returns values that passed the schemas of this file. Throws ConfigError. */
export function toLifecycles(read: (name: keyof SuiteSettings) => unknown): Lifecycles {
  const lifecycles = ids.map(id => {
    const lifecycle: Lifecycle = {
      deprecatedAt: read(`${id} deprecatedAt`) as number | undefined,
      disabledAt: read(`${id} disabledAt`) as number | undefined,
      productionWriteAllowed: read(`${id} productionWriteAllowed`) as boolean | undefined,
    };
    const rejection = rejectLifecycle(id, lifecycle, part => suiteSettings[`${id} ${part}`].key);
    if (rejection !== null) throw new ConfigError(rejection);
    return [id, lifecycle];
  });
  return Object.fromEntries(lifecycles);
}
