import { type Requirements, type RunFunctionRequest, type RunFunctionResponse, Severity } from '../wire/messages.ts';

/** Source: crossplane internal/xfn/required_resources.go, MaxRequirementsIterations. */
const MAX_FURTHER_CALLS = 5;

/** Calls until the function asks for the same things twice, as Crossplane does; a fatal result ends it at once. */
export async function settle(
  first: RunFunctionRequest,
  call: (request: RunFunctionRequest) => Promise<RunFunctionResponse>,
  next: (request: RunFunctionRequest, response: RunFunctionResponse) => RunFunctionRequest,
): Promise<RunFunctionResponse> {
  let request = first;
  let asked = '';
  for (let calls = 0; calls <= MAX_FURTHER_CALLS; calls++) {
    const response = await call(request);
    if (response.results.some((result) => result.severity === Severity.Fatal)) return response;
    const asks = canonical(response.requirements);
    if (asks === asked) return response;
    asked = asks;
    request = next(request, response);
  }
  throw new Error(`the function still asks for other resources after ${MAX_FURTHER_CALLS} more calls`);
}

function canonical(requirements: Requirements): string {
  const { resources, schemas } = requirements;
  if (resources.size + schemas.size === 0) return '';
  const sorted = (entries: Iterable<readonly [string, unknown]>) =>
    [...entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, selector]) => [name, Object.entries(selector as object).sort()]);
  return JSON.stringify([sorted(resources), sorted(schemas)]);
}
