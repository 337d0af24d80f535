import { Problem } from './states.tsx';
import { useAction } from './use-action.ts';

type Acting = {
  readonly label: string;
  /** What it is done to, for those who hear the button apart from its line. */
  readonly of: string;
  readonly look?: 'plain' | 'bare' | 'danger';
  readonly act: () => Promise<unknown>;
};

/** A button that does one thing at once, and says beside it what went wrong. */
export function ActButton({ label, of, look, act }: Acting) {
  const { run, isBusy, error } = useAction(act);
  return (
    <>
      <button
        type="button"
        {...(look && { className: look })}
        disabled={isBusy}
        aria-label={`${label}: ${of}`}
        onClick={() => run()}
      >
        {label}
      </button>
      {error !== null && <Problem error={error} />}
    </>
  );
}
