import { type Ticket, type TicketStatus, ticketStatus, updateTicketStatus } from '@recordproof/shared/api/tickets.ts';
import { useSocialSay } from '../../social-say.ts';
import { useBridge } from '../../surroundings.ts';
import { ActButton } from '../../ui/act-button.tsx';

const { PENDING, PROCESSING, CONFIRMING, COMPLETED, CLOSED } = ticketStatus;
type Step = { readonly to: TicketStatus; readonly word: 'confirm' | 'reopen' | 'close' };

const close: Step = { to: CLOSED, word: 'close' };

/** What whoever opened a ticket may do with it. */
const stepsFrom: Readonly<Record<TicketStatus, readonly Step[]>> = {
  [PENDING]: [close],
  [PROCESSING]: [close],
  [CONFIRMING]: [
    { to: COMPLETED, word: 'confirm' },
    { to: PROCESSING, word: 'reopen' },
  ],
  [COMPLETED]: [close],
  [CLOSED]: [],
};

export function TicketActions({ ticket, onChanged }: { readonly ticket: Ticket; readonly onChanged: () => void }) {
  const { help: say } = useSocialSay();
  const { call } = useBridge();
  const moveTo = (status: TicketStatus) => async () => {
    await call(updateTicketStatus, { params: { id: ticket.id }, body: { status } });
    onChanged();
  };
  return (
    <>
      {stepsFrom[ticket.status].map(({ to, word }) => (
        <ActButton key={word} label={say[word]} of={ticket.ticketNo} look="plain" act={moveTo(to)} />
      ))}
    </>
  );
}
