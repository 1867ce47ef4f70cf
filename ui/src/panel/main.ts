import "../style/tokens.css";
import "../style/base.css";
import { start } from "../host/start";
import Panel from "./Panel.svelte";

void start("panel", Panel);
