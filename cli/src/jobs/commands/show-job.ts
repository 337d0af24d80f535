import { jobs, showCommand } from '../dead-job-commands.ts';

export default showCommand(jobs);
