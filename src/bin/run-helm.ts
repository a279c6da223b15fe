import { runHelm } from '../cli/helm/command.ts';
import { helmDependencies } from '../compose/helm-dependencies.ts';

process.exitCode = await runHelm(process.argv.slice(3), helmDependencies());
