import type { ComponentType } from 'react'
import {
  type RouteObject,
  UNSAFE_createRouter as createRouter,
  UNSAFE_defaultMapRouteProperties as mapRouteProperties,
  UNSAFE_hydrationRouteProperties as hydrationRouteProperties,
} from 'react-router'
import { paths } from '#lib/paths.ts'
import { accountIn, addressAccount } from '#lib/session/address-account.ts'
import { followAddress } from '#lib/session/session.ts'
import { createAccountHistory } from './account-history.ts'
import { AreaHome } from './area-home.tsx'
import { Entry } from './entry.tsx'
import { ErrorPage } from './error-page.tsx'
import { RequireGate, RequireSession } from './guards.tsx'
import { loadScreen } from './load-screen.ts'
import { LoadingPage } from './loading-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { type Area, areas, type Gate, loadModule, type Screen } from './screens.ts'
import { Shell } from './shell/shell.tsx'

/** Loads the code of the screen that the router shows or navigates to. */
const lazyScreen = (load: () => Promise<ComponentType>) => () =>
  loadScreen(() => router.state.navigation.location ?? router.state.location, load)

/** Like `lazyScreen`, with the styles that the shell and the home page do without. */
const styledScreen = (load: () => Promise<ComponentType>) =>
  lazyScreen(async () => (await Promise.all([load(), import('#ui/screen-styles.ts')]))[0])

const gated = (place: Area | Screen, path: string, children: RouteObject[]): RouteObject => {
  const { feature, who, label } = place
  const menu = 'menu' in place ? place.menu : undefined
  const gate: Gate = { ...(feature && { feature }), ...(who && { who }) }
  return {
    path,
    element: <RequireGate gate={gate} menu={menu} screen={label} />,
    errorElement: <ErrorPage />,
    children,
  }
}

/** Screens at an area's own address that depend on the table of areas. */
const entries: Record<string, typeof loadModule> = {
  [paths.iam()]: async () => (await import('./iam-entry.tsx')).IamEntry,
}

function areaRoute(area: Area): RouteObject {
  const { path, load = entries[area.path], screens = [] } = area
  const lazy = path === paths.home() ? lazyScreen : styledScreen
  return gated(area, path, [
    load
      ? { index: true, HydrateFallback: LoadingPage, lazy: lazy(load) }
      : { index: true, element: <AreaHome area={area} /> },
    ...screens.map(screenRoute),
    { path: '*', element: <NotFoundPage /> },
  ])
}

const screenRoute = (screen: Screen): RouteObject =>
  gated(screen, screen.path, [
    {
      index: true,
      HydrateFallback: () => <LoadingPage title={screen.title ?? screen.label} />,
      lazy: styledScreen(screen.load),
    },
    ...oneRoute(screen),
  ])

/** The record that an address names. */
const oneRoute = ({ loadOne }: Screen): RouteObject[] =>
  loadOne ? [{ path: ':id', HydrateFallback: LoadingPage, lazy: styledScreen(loadOne) }] : []

/** Open to everyone: sign-in and the other entry points. */
const publicRoutes: RouteObject[] = [
  {
    path: paths.register(),
    lazy: lazyScreen(async () => (await import('#features/sign-in')).RegisterPage),
  },
  {
    path: paths.forgotPassword(),
    lazy: lazyScreen(async () => (await import('#features/sign-in')).ForgotPasswordPage),
  },
  {
    path: paths.resetPassword(),
    lazy: lazyScreen(async () => (await import('#features/sign-in')).ResetPasswordPage),
  },
  {
    path: paths.confirmSender(),
    lazy: lazyScreen(async () => (await import('#features/preferences')).ConfirmSenderPage),
  },
]

const routes: RouteObject[] = [
  {
    HydrateFallback: LoadingPage,
    errorElement: <ErrorPage />,
    children: [
      {
        path: paths.entry(),
        element: <Entry />,
        children: [{ index: true, lazy: lazyScreen(async () => (await import('#features/sign-in')).SignInPage) }],
      },
      ...publicRoutes,
      {
        element: (
          <RequireSession>
            <Shell />
          </RequireSession>
        ),
        children: [
          ...areas.map(areaRoute),
          {
            path: paths.profile(),
            lazy: styledScreen(async () => (await import('./profile-module.tsx')).ProfileModule),
          },
          // Modules without their own entry in the bar.
          { path: paths.module(':id'), lazy: lazyScreen(loadModule) },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]

/**
 * The same as `createBrowserRouter`, but with the history that knows the account. The public function takes no history:
 * its option `window` reaches the addresses that are read and written, but not the `href` of links.
 */
export const router = createRouter({
  history: createAccountHistory(),
  routes,
  mapRouteProperties,
  hydrationRouteProperties,
}).initialize()

// Going back to an address of another account enters that account. The router's location is compared with the
// browser's, because a screen with unsaved changes may have kept the two apart.
router.subscribe(({ location, navigation }) => {
  // While the next screen's code is loading, the address is still the previous one.
  if (navigation.state !== 'idle') return
  const entry = window.history.state as { key?: string } | null
  const account = accountIn(window.location.search)
  if ((entry?.key ?? 'default') === location.key && account !== addressAccount()) followAddress(account)
})
