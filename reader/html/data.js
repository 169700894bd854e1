// SPDX-License-Identifier: Apache-2.0
"use strict";
const meta = JSON.parse(document.getElementById("meta").textContent);
document.getElementById("page").textContent = meta.title;
