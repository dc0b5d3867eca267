import { KubeConfig } from '@kubernetes/client-node';
import { oneLine } from '../core/text.ts';
import type { ConfigurationSource } from './options.ts';

/** Reads the configuration anew at each call. Throws one sentence. */
export function loadConfiguration(source: ConfigurationSource): KubeConfig {
  const configuration = new KubeConfig();
  if ('inCluster' in source) configuration.loadFromCluster();
  else for (const [index, file] of source.files.entries()) addFile(configuration, file, index > 0);
  const cluster = configuration.getCurrentCluster();
  if (cluster === null) throw new Error('cannot use the kubeconfig: its current context names no cluster');
  if (!URL.canParse(cluster.server)) throw new Error('cannot use the kubeconfig: the server of its cluster is no URL');
  return configuration;
}

function addFile(configuration: KubeConfig, file: string, isFurther: boolean): void {
  try {
    if (!isFurther) {
      configuration.loadFromFile(file);
      return;
    }
    const further = new KubeConfig();
    further.loadFromFile(file);
    configuration.mergeConfig(further, configuration.getCurrentContext() !== undefined);
  } catch (error) {
    throw new Error(`cannot read kubeconfig ${JSON.stringify(file)}: ${causeOf(error)}`);
  }
}

/** The YAML reader's errors show the lines around the mistake, which may hold a token or a key. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'YAMLException') return 'it is no YAML';
  return oneLine(error.message);
}
