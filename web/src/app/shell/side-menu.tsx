import { Tooltip } from '@mantine/core'
import { NavLink } from 'react-router'
import { useUser } from '#lib/session.ts'
import { screenPath, screens } from '../screens.ts'
import css from './side-menu.module.css'

/** The screens that the user holds the feature for; as icons with tooltips in mini mode. */
export function SideMenu({ isMini = false }: { isMini?: boolean }) {
  const { policies } = useUser()
  return (
    <nav className={css['menu']} aria-label="List Service" data-mini={isMini || undefined}>
      <div className={css['title']} aria-hidden>
        {isMini ? '' : 'List Service'}
      </div>
      {screens
        .filter(({ feature }) => policies.includes(feature))
        .map((screen) => (
          <Tooltip key={screen.path} label={screen.label} position="right" disabled={!isMini}>
            <NavLink to={screenPath(screen)} className={css['entry'] ?? ''} aria-label={screen.label}>
              <screen.Icon size={19} stroke={1.6} aria-hidden />
              <span className={css['label']}>{screen.label}</span>
            </NavLink>
          </Tooltip>
        ))}
    </nav>
  )
}
