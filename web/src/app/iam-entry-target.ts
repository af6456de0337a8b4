import { trimmed } from '@portico/domain/trimming'
import { paths } from '#lib/paths.ts'
const area = paths.iam()

/**
 * The path that `/iam` leads to: the screen in the query parameter `route`, else the `last` one viewed, else the
 * policies; always one of `paths`. `route` is a path (`/iam/groups`) or its end (`groups`); `search` is kept.
 */
export function iamEntryTarget(params: URLSearchParams, last: string, paths: readonly string[]): string {
  const known = (path: string): string | undefined => paths.find((one) => one === path.toLowerCase())
  const route = trimmed(params.get('route') ?? '', '/')
  const asked = route === '' ? undefined : (known(`/${route}`) ?? known(`${area}/${route}`))
  const search = params.get('search')
  if (asked === undefined && !search && known(pathOf(last))) return last
  const target = asked ?? known(pathOf(last)) ?? `${area}/policies`
  return search ? `${target}?${new URLSearchParams({ search })}` : target
}

/** The settings store an address with its query. */
const pathOf = (address: string): string => address.replace(/[?#].*/s, '')
