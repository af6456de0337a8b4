import { actionCatalogue, methods } from '@portico/contract/policies'

export type ActionParts = { microservice: string; resource: string; method: string }

export const splitAction = (action: string): ActionParts => {
  const [microservice = '', resource = '', method = ''] = action.split('::')
  return { microservice, resource, method }
}

export const joinAction = ({ microservice, resource, method }: ActionParts): string =>
  [microservice, resource, method].join('::')

const all = '*'
const services: Record<string, readonly string[]> = actionCatalogue

export const serviceChoices = [...Object.keys(services), all]
export const methodChoices: readonly string[] = methods

/** The resources of a service; of all services for `*`. */
export function resourceChoices(service: string): string[] {
  const resources = service === all ? Object.values(services).flat() : (services[service] ?? [])
  return [...new Set(resources), all]
}
