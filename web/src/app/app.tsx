import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect } from 'react'
import { RouterProvider } from 'react-router/dom'
import { queryClient } from '#lib/api/query-client.ts'
import { followOtherTabs } from '#lib/session/session-again.ts'
import { setTypedInputCheck } from '#lib/session/typed-input-check.ts'
import { useStore } from '#lib/store.ts'
import { Snackbars } from '#ui/feedback/snackbars.tsx'
import { hasTypedInput } from '#ui/form/typed-input.ts'
import { paperStore } from '#ui/page/paper.ts'
import { cssVariablesResolver, theme } from '#ui/theme.ts'
import { router } from './routes.tsx'

setTypedInputCheck(hasTypedInput)

// color-scheme.js reads the same key before the first paint.
const colorSchemeManager = localStorageColorSchemeManager({ key: 'portico.colorScheme' })

/** The web app: the frame of every screen. */
export function App() {
  useEffect(followOtherTabs, [])
  const isPaper = useStore(paperStore)
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      {...(isPaper && { forceColorScheme: 'light' as const })}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Snackbars />
      </QueryClientProvider>
    </MantineProvider>
  )
}
