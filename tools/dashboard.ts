// Builds the dashboard for a control plane that runs from its sources. `npm run bundle` builds it
// for the program.
// Usage: npm run dashboard [FOLDER]
import { buildDashboard } from './build-dashboard.ts';

const [folder = 'dist/program/dashboard'] = process.argv.slice(2);
const bytes = await buildDashboard(folder);
console.log(`${folder}: ${(bytes / 1024).toFixed(1)} KiB of script, compressed`);
