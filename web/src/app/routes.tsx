import { createBrowserRouter, type RouteObject } from 'react-router'
import { ErrorPage } from './error-page.tsx'
import { RequireFeature, RequireSession } from './guards.tsx'
import { ListServiceHome } from './list-service-home.tsx'
import { loadScreen } from './load-screen.ts'
import { LoadingPage } from './loading-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { type Screen, screenPath, screens } from './screens.ts'
import { Shell } from './shell/shell.tsx'

const screenRoute = (screen: Screen): RouteObject => ({
  path: screen.path,
  handle: { feature: screen.feature },
  element: <RequireFeature feature={screen.feature} screen={screen.label} />,
  errorElement: <ErrorPage />,
  children: [{ index: true, lazy: () => loadScreen(screenPath(screen), screen.load) }],
})

export const router = createBrowserRouter([
  {
    HydrateFallback: LoadingPage,
    errorElement: <ErrorPage />,
    children: [
      { path: '/', lazy: () => loadScreen('/', async () => (await import('#features/identity')).SignInPage) },
      {
        element: (
          <RequireSession>
            <Shell />
          </RequireSession>
        ),
        children: [
          {
            path: 'contact-service',
            children: [
              { index: true, element: <ListServiceHome /> },
              ...screens.map(screenRoute),
              { path: '*', element: <NotFoundPage /> },
            ],
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
])
