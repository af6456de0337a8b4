import './screen-styles.css'
