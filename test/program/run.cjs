'use strict';
// Runs a program folder as Pulumi's language host does, against Pulumi's own mock engine, and writes down what the
// program sent to that engine, as it went over the wire (secrets still marked).
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');

const [folder, reportFile] = process.argv.slice(2);
const pulumi = createRequire(require.resolve('@di-framework/platform/existing'))('@pulumi/pulumi');
const report = { resources: [], outputs: null, error: null };

// A program ends when nothing is left to do; one that throws ends there, RunErrors without a stack.
const write = () => fs.writeFileSync(reportFile, JSON.stringify(report));
process.on('beforeExit', write);
process.on('uncaughtException', (error) => {
  report.error = { message: error.message, isRunError: pulumi.RunError.isInstance(error) };
  write();
  process.exit(1);
});

async function main() {
  await pulumi.runtime.setMocks(
    {
      newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: inputs }),
      call: ({ inputs }) => inputs,
    },
    process.env.PULUMI_PROJECT,
    process.env.PULUMI_STACK,
  );
  const monitor = pulumi.runtime.getMonitor();
  const { registerResource, registerResourceOutputs } = monitor;
  monitor.registerResource = (request, callback) => {
    report.resources.push({
      type: request.getType(),
      name: request.getName(),
      inputs: request.getObject().toJavaScript(),
      provider: request.getProvider(),
      dependencies: request.getDependenciesList(),
      secretOutputs: request.getAdditionalsecretoutputsList(),
    });
    return registerResource.call(monitor, request, callback);
  };
  monitor.registerResourceOutputs = (request, callback) => {
    report.outputs = request.getOutputs().toJavaScript();
    return registerResourceOutputs.call(monitor, request, callback);
  };
  await pulumi.runtime.runInPulumiStack(() => require(path.resolve(folder)));
}

main();
