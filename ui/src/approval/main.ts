import "../style/tokens.css";
import "../style/base.css";
import { start } from "../host/start";
import Approval from "./Approval.svelte";

void start("approval", Approval);
