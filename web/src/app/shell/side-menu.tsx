import { NavLink } from 'react-router'
import { useUser } from '#lib/session/session.ts'
import { openScreens } from '../access.ts'
import { type Area, screenPath } from '../screens.ts'
import { Hint } from './hint.tsx'
import css from './side-menu.module.css'

/** The screens of an area that the user may open; as icons with tooltips in mini mode. */
export function SideMenu({ area, isMini = false }: { area: Area; isMini?: boolean }) {
  const user = useUser()
  return (
    <nav className={css['menu']} aria-label={area.label} data-mini={isMini || undefined}>
      <div className={css['title']} aria-hidden>
        {isMini ? '' : area.label}
      </div>
      {openScreens(area, user).map((screen) => (
        <Hint key={screen.path} label={screen.label} side="right" isOff={!isMini}>
          <NavLink to={screenPath(area, screen)} className={css['entry'] ?? ''} aria-label={screen.label}>
            <screen.Icon size={19} stroke={1.6} aria-hidden />
            <span className={css['label']}>{screen.label}</span>
          </NavLink>
        </Hint>
      ))}
    </nav>
  )
}
