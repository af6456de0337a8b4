import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { render, type RenderResult } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { queryClient } from '#lib/api/query-client.ts'
import { Snackbars } from '#ui/feedback/snackbars.tsx'
import { cssVariablesResolver, theme } from '#ui/theme.ts'

type Rendered = RenderResult & {
  user: UserEvent
  /** Path and query of the shown page. */
  address: () => string
  /** State of the navigation to it. */
  place: () => unknown
}

/** An address, possibly with a navigation state. */
type Place = string | { pathname: string; state: unknown }

/** Renders a component as the app would, on its own page; other addresses show their path. */
export function renderApp(element: ReactNode, place: Place = '/'): Rendered {
  queryClient.clear()
  const path = typeof place === 'string' ? place : place.pathname
  const router = createMemoryRouter(
    [
      { path: new URL(path, 'http://portal').pathname, element },
      { path: '*', element: <OtherPage /> },
    ],
    { initialEntries: [place] },
  )
  const rendered = render(
    <MantineProvider env="test" theme={theme} cssVariablesResolver={cssVariablesResolver}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Snackbars />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const address = (): string => router.state.location.pathname + router.state.location.search
  return { ...rendered, user: userEvent.setup(), address, place: () => router.state.location.state }
}

function OtherPage() {
  return <p>another page</p>
}
