// Form fields for the limits of an API token: scopes, a folder, addresses.
import { type TokenPreset, tokenPresets } from '@recordproof/shared/api/api-tokens.ts';
import { type Permission, tokenPermissions } from '@recordproof/shared/api/endpoint.ts';
import { tokenWords } from '@recordproof/shared/words/app-tokens.ts';
import { useAccount, useWords } from '../../context.ts';
import { Checkbox, Field, Segments } from '../../ui/form.tsx';

type Limits = {
  readonly choice: TokenPreset | 'own';
  readonly own: readonly Permission[];
  readonly folder: string;
  readonly addresses: string;
};

export const noLimits: Limits = { choice: 'upload-and-prove', own: [], folder: '', addresses: '' };
const splitWords = (text: string): string[] => text.split(/[\s,]+/).filter(word => word !== '');

export const toLimitsBody = ({ choice, own, folder, addresses }: Limits) => ({
  scopes: [...(choice === 'own' ? own : tokenPresets[choice])],
  addresses: splitWords(addresses),
  ...(folder.trim() !== '' && { folder: folder.trim() }),
});

export const hasScopes = ({ choice, own }: Limits): boolean => choice !== 'own' || own.length > 0;

type Props = { readonly limits: Limits; readonly onChange: (limits: Limits) => void };

export function LimitFields({ limits, onChange }: Props) {
  const texts = useWords(tokenWords);
  const change = (part: Partial<Limits>) => onChange({ ...limits, ...part });
  return (
    <>
      <Segments
        label={texts.rights}
        value={limits.choice}
        options={texts.presets}
        onChoose={choice => change({ choice })}
      />
      {limits.choice === 'own' && <Scopes chosen={limits.own} onChoose={own => change({ own })} />}
      <Field
        label={texts.folder}
        hint={texts.folderHint}
        value={limits.folder}
        onText={folder => change({ folder })}
        autoComplete="off"
      />
      <Field
        label={texts.addresses}
        hint={texts.addressesHint}
        value={limits.addresses}
        onText={addresses => change({ addresses })}
        autoComplete="off"
      />
    </>
  );
}

type Choosing = { readonly chosen: readonly Permission[]; readonly onChoose: (chosen: readonly Permission[]) => void };

/** Those of the own role that a token may have. */
function Scopes({ chosen, onChoose }: Choosing) {
  const texts = useWords(tokenWords);
  const { permissions } = useAccount();
  return (
    <fieldset className="choices">
      <legend>{texts.rights}</legend>
      {tokenPermissions
        .filter(one => permissions.includes(one))
        .map(permission => (
          <Checkbox
            key={permission}
            label={<code>{permission}</code>}
            checked={chosen.includes(permission)}
            onCheck={isChosen =>
              onChoose(isChosen ? [...chosen, permission] : chosen.filter(one => one !== permission))
            }
          />
        ))}
    </fieldset>
  );
}
