import { Code, Loader, Paper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import IconPlugConnected from '#icons/IconPlugConnected'
import { messageOf } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { shellRoutes } from '#lib/api/shell-routes.ts'
import { useMayAdminister } from '#lib/session/role.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ModuleFrame } from './module-frame.tsx'

/** The same names as in the top bar. */
const titles: Record<string, string> = {
  objectives: 'Campaigns',
  assets: 'Assets',
  crm: 'CRM',
  'market-intel': 'Market Intel',
  settings: 'Settings',
  'user-profile': 'User profile',
}

const useModules = () =>
  useQuery({
    queryKey: ['modules'],
    queryFn: ({ signal }) => call(shellRoutes.listModules, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

type ModulePageProps = {
  /** The portal's own page for the module, shown if no address is configured. */
  builtIn?: ReactNode
}

/** `/module/{id}`: the page that the installation configures for the module, in a frame. */
export function ModulePage({ builtIn }: ModulePageProps) {
  const id = useModuleId()
  const title = titles[id] ?? id
  const { data, error, refetch } = useModules()
  usePageTitle(title)
  const url = data && Object.hasOwn(data, id) ? data[id] : undefined
  if (url !== undefined) return <ModuleFrame url={url} title={title} />
  if (data && builtIn !== undefined) return builtIn
  return (
    <>
      <PageHeader title={title} />
      <Paper>
        {error && !data && <FailureState message={messageOf(error)} onRetry={() => void refetch()} />}
        {!data && !error && <EmptyState icon={<Loader size={18} aria-hidden />} title="Loading. Please wait..." />}
        {data && <NotSetUp id={id} title={title} />}
      </Paper>
    </>
  )
}

/** The last part of the address; ids are case-insensitive. */
function useModuleId(): string {
  const { pathname } = useLocation()
  const [, id = ''] = /^\/module\/([^/]+)/i.exec(pathname) ?? []
  return decodeURIComponent(id).toLowerCase()
}

function NotSetUp({ id, title }: { id: string; title: string }) {
  const mayAdminister = useMayAdminister()
  return (
    <EmptyState icon={<IconPlugConnected size={22} />} title={`${title} is not set up`}>
      {mayAdminister ? (
        <>
          The portal shows another product&apos;s page here. The operator sets its address in <Code>MODULE_URLS</Code>,
          for example <Code>{`{"${id}":"https://${id}.example.com"}`}</Code>, and starts the portal again.
        </>
      ) : (
        'Contact your admin to see how you can get this feature.'
      )}
    </EmptyState>
  )
}
