// Registration mode of the server.
import { getRegistration } from '@recordproof/shared/api/auth.ts';
import { useBridge } from '../../context.ts';
import { useLoad } from '../../ui/hooks.ts';

/** Null until it is known, and where an older server does not report it. */
export function useRegistration() {
  const { call } = useBridge();
  const { state } = useLoad('registration', signal => call(getRegistration, { signal }));
  return { isLoading: state.kind === 'loading', registration: state.kind === 'ready' ? state.value : null };
}
