import { jobs, reviveCommand } from '../dead-job-commands.ts';

export default reviveCommand(jobs);
