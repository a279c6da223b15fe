import { deploymentInfo as readDeployment } from '../../operation/query.ts';
import { performance } from './performance.ts';

export const deploymentInfo = performance('deployment_info', {
  request: ({ namespace, deploymentName }) => ({ namespace, name: deploymentName }),
  operation: readDeployment,
  answer: (deployment) => ({ deployment: { ...deployment } }),
});
