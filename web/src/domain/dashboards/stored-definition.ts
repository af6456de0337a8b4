import type { Dashboard } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'

/** The definition of a dashboard. The server stores checked ones only, and the check would cost viewers its size. */
export const storedDefinition = ({ definition }: Pick<Dashboard, 'definition'>): Definition =>
  JSON.parse(definition) as Definition
