import { Drawer } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Outlet, useLocation, useNavigation } from 'react-router'
import { useInactivitySignOut } from '#lib/inactivity.ts'
import { useUser } from '#lib/session.ts'
import { useSetting } from '#lib/settings.ts'
import { NarrowMenu } from './narrow-menu.tsx'
import { SideMenu } from './side-menu.tsx'
import { TopBar } from './top-bar.tsx'
import css from './shell.module.css'

/** The frame of every signed-in page: top bar, side menu, and the screen. */
export function Shell() {
  const user = useUser()
  const [isExpanded, setExpanded] = useSetting('keepMenuExpanded')
  const { pathname, key } = useLocation()
  // Bound to the place, so that going anywhere closes it.
  const [drawerOpenAt, setDrawerOpenAt] = useState<string | null>(null)
  const main = useFocusOnNewPage(pathname)
  useInactivitySignOut(user.preferences.timeout)

  return (
    <div className={css['shell']} data-expanded={isExpanded || undefined}>
      <a className={css['skip']} href="#main" onClick={() => main.current?.focus()}>
        Skip to the content
      </a>
      <TopBar
        isMenuExpanded={isExpanded}
        onMenuToggle={() => setExpanded(!isExpanded)}
        onDrawerOpen={() => setDrawerOpenAt(key)}
      />
      <aside className={css['side']}>
        <SideMenu isMini={!isExpanded} />
      </aside>
      <Drawer opened={drawerOpenAt === key} onClose={() => setDrawerOpenAt(null)} size={288} title="Menu" padding="sm">
        <NarrowMenu />
      </Drawer>
      <main id="main" ref={main} tabIndex={-1} className={css['main']}>
        <NavigationBar />
        {/* Another account is another world: nothing of the screen's state goes along. */}
        <Outlet key={user.account} />
      </main>
    </div>
  )
}

/** A line at the top while the next screen's code is on its way. */
function NavigationBar() {
  const isOnTheWay = useNavigation().state === 'loading'
  return isOnTheWay ? <output className={css['progress']} aria-label="Loading" /> : null
}

/** Readers of the screen and the keyboard start at the top of the new page, as after a page load. */
function useFocusOnNewPage(pathname: string) {
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [pathname])
  return main
}
