// Chip with the proof status of a file.
import type { File } from '@recordproof/shared/api/files.ts';
import { useTexts } from '../../context.ts';
import { Icon } from '../../ui/icon.tsx';

const looks = {
  NONE: { tone: '', icon: null },
  PENDING: { tone: 'open', icon: 'clock' },
  ISSUED: { tone: 'good', icon: 'seal' },
} as const;

export function ProofChip({ status }: { readonly status: File['proofStatus'] }) {
  const { list } = useTexts();
  const { tone, icon } = looks[status];
  return (
    <span className={`chip ${tone}`}>
      {icon && <Icon name={icon} />} {list[`proof${status}`]}
    </span>
  );
}
