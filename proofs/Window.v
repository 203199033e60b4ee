(* claims: prop-iii.1
   theorems: pure_network_broken pure_network_robust beyond_the_weak_feature window_open
     window_closed

   Proposition III.1, the window of robustness: from which budget on a network of one feature alone
   is broken, and when there is a budget that breaks the weak feature and not the strong one.
   Features are coordinates: a patch is the list of its strengths, one for each class. *)

From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
Require Import Sums.
Open Scope R_scope.

(* The activation: a power up to rho, and a line beyond; q = 1 is the plain ReLU. *)
Definition act (q rho z : R) : R :=
  if Rle_dec z 0 then 0
  else if Rle_dec z rho then Rpower z q / (q * Rpower rho (q - 1))
  else z - (1 - / q) * rho.

(* Bernoulli's inequality, for real exponents. *)
Lemma bernoulli q u : 1 <= q -> 1 <= u -> 1 + q * (u - 1) <= Rpower u q.
Proof.
  intros Hq Hu. replace q with (1 + (q - 1)) at 2 by ring. rewrite Rpower_plus, Rpower_1 by lra.
  assert (L : 1 - / u <= ln u).
  { assert (H : ln (/ u) <= / u - 1).
    { rewrite <- (ln_exp (/ u - 1)). apply ln_le; [apply Rinv_0_lt_compat; lra|].
      pose proof (exp_ineq1_le (/ u - 1)). lra. }
    rewrite ln_Rinv in H by lra. lra. }
  assert (E : 1 + (q - 1) * ln u <= Rpower u (q - 1)) by (unfold Rpower; apply exp_ineq1_le).
  assert (U : u - 1 <= u * ln u).
  { replace (u - 1) with (u * (1 - / u)) by (field; lra). apply Rmult_le_compat_l; lra. }
  nra.
Qed.

Section Activation.
Variables (q rho : R).
Hypotheses (Hq : 1 <= q) (Hrho : 0 < rho).

Lemma root_of_quotient s t : 0 < s -> 0 < t -> Rpower (s / t) q * Rpower t q = Rpower s q.
Proof.
  intros. rewrite Rpower_mult_distr; [|now apply Rdiv_lt_0_compat | assumption].
  f_equal. field. lra.
Qed.

(* At rho both pieces agree. *)
Lemma act_power z : 0 < z <= rho -> act q rho z = Rpower z q / (q * Rpower rho (q - 1)).
Proof. intros. unfold act. destruct (Rle_dec z 0); [lra|]. now destruct (Rle_dec z rho). Qed.

Lemma act_line z : rho <= z -> act q rho z = z - (1 - / q) * rho.
Proof.
  intros Hz. destruct (Req_dec z rho) as [->|N].
  - rewrite act_power by lra. replace (Rpower rho q) with (rho * Rpower rho (q - 1)).
    + field. split; [lra | apply Rgt_not_eq, exp_pos].
    + rewrite <- (Rpower_1 rho) at 1 by lra. rewrite <- Rpower_plus. f_equal. ring.
  - unfold act. destruct (Rle_dec z 0); [lra|]. destruct (Rle_dec z rho); [lra | reflexivity].
Qed.

(* The one fact: act(z)/z^q never increases, so act(s) >= (s/t)^q act(t) for s <= t ... *)
Lemma act_ratio s t : 0 < s <= t -> Rpower (s / t) q * act q rho t <= act q rho s.
Proof.
  assert (Small : forall s t, 0 < s -> s <= t -> t <= rho ->
    Rpower (s / t) q * act q rho t = act q rho s).
  { intros a b Ha Hab Hb. rewrite !act_power by lra. unfold Rdiv at 2 3.
    rewrite <- Rmult_assoc, root_of_quotient by lra. reflexivity. }
  assert (Large : forall s t, rho <= s -> s <= t -> Rpower (s / t) q * act q rho t <= act q rho s).
  { intros a b Ha Hab. rewrite !act_line by lra.
    pose proof (bernoulli q (b / a) Hq) as Be.
    assert (1 <= b / a) by (apply Rmult_le_reg_r with a; [lra|]; unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l by lra; lra).
    specialize (Be ltac:(assumption)).
    assert (I : Rpower (a / b) q * Rpower (b / a) q = 1).
    { rewrite Rpower_mult_distr by (apply Rdiv_lt_0_compat; lra).
      replace (a / b * (b / a)) with 1 by (field; lra). unfold Rpower. rewrite ln_1, Rmult_0_r.
      apply exp_0. }
    assert (P : 0 < Rpower (a / b) q) by apply exp_pos.
    set (w := Rpower (a / b) q) in *. set (c := (1 - / q) * rho) in *.
    assert (Hc : q * c = (q - 1) * rho) by (unfold c; field; lra).
    assert (Hb : b = a * (b / a)) by (field; lra). set (v := b / a) in *.
    assert (K : b - c <= Rpower v q * (a - c)).
    { assert (0 <= a - c) by nra.
      apply Rle_trans with ((1 + q * (v - 1)) * (a - c)).
      - assert (0 <= (v - 1) * ((q - 1) * (a - rho))) by (repeat apply Rmult_le_pos; lra).
        replace ((1 + q * (v - 1)) * (a - c)) with ((a - c) + (v - 1) * (q * a - q * c)) by ring.
        rewrite Hc. rewrite Hb at 1. lra.
      - now apply Rmult_le_compat_r. }
    apply Rmult_le_compat_l with (r := w) in K; [|lra].
    rewrite <- Rmult_assoc, I in K. lra. }
  intros [Hs Hst]. destruct (Rle_dec t rho) as [|Ht]; [right; now apply Small|].
  destruct (Rle_dec rho s) as [|Hsr]; [now apply Large|].
  (* s < rho < t: over rho in between *)
  rewrite <- (Small s rho) by lra.
  replace (Rpower (s / t) q) with (Rpower (s / rho) q * Rpower (rho / t) q).
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply exp_pos | apply Large; lra].
  - rewrite Rpower_mult_distr by (apply Rdiv_lt_0_compat; lra). f_equal. field. lra.
Qed.

(* ... with equality while the activation is a power. *)
Lemma act_ratio_power s t : 0 < s -> 0 < t -> s <= rho -> t <= rho ->
  act q rho s = Rpower (s / t) q * act q rho t.
Proof.
  intros. rewrite !act_power by lra. unfold Rdiv at 1 3.
  now rewrite <- Rmult_assoc, root_of_quotient by lra.
Qed.

Lemma act_0 z : z <= 0 -> act q rho z = 0.
Proof. intros. unfold act. now destruct (Rle_dec z 0). Qed.

Lemma act_pos z : 0 < z -> 0 < act q rho z.
Proof.
  intros Hz. destruct (Rle_dec z rho).
  - rewrite act_power by lra. apply Rdiv_lt_0_compat; [apply exp_pos|].
    apply Rmult_lt_0_compat; [lra | apply exp_pos].
  - rewrite act_line by lra. assert (0 < / q) by (apply Rinv_0_lt_compat; lra). nra.
Qed.

Lemma act_ge0 z : 0 <= act q rho z.
Proof.
  destruct (Rle_dec z 0); [rewrite act_0 by assumption; lra | left; apply act_pos; lra].
Qed.

Lemma act_increases s t : s <= t -> act q rho s <= act q rho t.
Proof.
  intros H. destruct (Rle_dec s 0); [rewrite act_0 by assumption; apply act_ge0|].
  assert (Low : forall a b, 0 < a -> a <= b -> b <= rho -> act q rho a <= act q rho b).
  { intros a b Ha Hab Hb. rewrite !act_power by lra. apply Rmult_le_compat_r.
    - left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [lra | apply exp_pos].
    - apply Rle_Rpower_l; lra. }
  destruct (Rle_dec t rho); [apply Low; lra|].
  destruct (Rle_dec rho s); [rewrite !act_line by lra; lra|].
  apply Rle_trans with (act q rho rho); [apply Low; lra | rewrite !act_line by lra; lra].
Qed.
End Activation.

(* One feature of strength [strength] in P0 of P patches, and a network that uses it alone. *)
Section Pure_network.
Variables (q rho strength eps : R) (P0 P k m : nat) (A : nat -> nat -> R).
Hypotheses (Hq : 1 <= q) (Hrho : 0 < rho) (Hstrength : 0 < strength) (Hbudget : 0 <= eps).
Hypotheses (HP0 : (1 <= P0)%nat) (HP : (P0 <= P)%nat) (Hk : (1 <= k)%nat).

(* x p i: the strength of the feature of class i in patch p; logit i: the value of class i. *)
Definition input := nat -> nat -> R.
Definition response (i : nat) (s : R) : R := sum m (fun r => act q rho (A i r * s)).
Definition logit (i : nat) (x : input) : R := sum P (fun p => response i (x p i)).
Definition clean (y : nat) : input := fun p i =>
  if Nat.eq_dec i y then if lt_dec p P0 then strength else 0 else 0.
Definition within_budget (x x' : input) : Prop :=
  forall p i, (p < P)%nat -> (i < k)%nat -> Rabs (x' p i - x p i) <= eps.

(* Broken: some move makes another class at least as large; a tie is an error. *)
Definition broken (y : nat) : Prop :=
  exists x' j, (j < k)%nat /\ j <> y /\ within_budget (clean y) x' /\ logit y x' <= logit j x'.

Definition threshold : R := strength / (1 + Rpower (INR P / INR P0) (/ q)).

Lemma patches_pos : 0 < INR P0 <= INR P.
Proof. split; [apply lt_0_INR; lia | now apply le_INR]. Qed.

Lemma root_of_power z : 0 < z -> Rpower (Rpower z (/ q)) q = z.
Proof. intros. rewrite Rpower_mult, Rinv_l by lra. now apply Rpower_1. Qed.

(* eps >= threshold says P eps^q >= P0 (strength - eps)^q. *)
Lemma threshold_reached : threshold <= eps -> eps < strength ->
  INR P0 * Rpower (strength - eps) q <= INR P * Rpower eps q.
Proof.
  intros Ht Hs. pose proof patches_pos as HPs. unfold threshold in Ht.
  assert (Hr : 0 < Rpower (INR P / INR P0) (/ q)) by apply exp_pos.
  set (r := Rpower _ (/ q)) in *.
  assert (B : strength - eps <= r * eps).
  { apply Rmult_le_compat_r with (r := 1 + r) in Ht; [|lra]. unfold Rdiv in Ht.
    rewrite Rmult_assoc, Rinv_l in Ht by lra. lra. }
  assert (0 < eps) by nra.
  apply Rle_trans with (INR P0 * Rpower (r * eps) q).
  - apply Rmult_le_compat_l; [lra|]. apply Rle_Rpower_l; lra.
  - rewrite <- Rpower_mult_distr by assumption. unfold r.
    rewrite root_of_power by (apply Rdiv_lt_0_compat; lra). right. field. lra.
Qed.

Lemma threshold_kept : 0 < eps -> eps < threshold ->
  eps < strength /\ INR P * Rpower eps q < INR P0 * Rpower (strength - eps) q.
Proof.
  intros He Ht. pose proof patches_pos as HPs. unfold threshold in Ht.
  assert (Hr : 0 < Rpower (INR P / INR P0) (/ q)) by apply exp_pos.
  set (r := Rpower _ (/ q)) in *.
  assert (B : r * eps < strength - eps).
  { apply Rmult_lt_compat_r with (r := 1 + r) in Ht; [|lra]. unfold Rdiv in Ht.
    rewrite Rmult_assoc, Rinv_l in Ht by lra. lra. }
  assert (0 < r * eps) by now apply Rmult_lt_0_compat.
  split; [lra|].
  apply Rle_lt_trans with (INR P0 * Rpower (r * eps) q).
  - rewrite <- Rpower_mult_distr by assumption. unfold r.
    rewrite root_of_power by (apply Rdiv_lt_0_compat; lra). right. field. lra.
  - apply Rmult_lt_compat_l; [lra|]. unfold Rpower. apply exp_increasing.
    apply Rmult_lt_compat_l; [lra|]. now apply ln_increasing.
Qed.

Lemma response_ge0 i s : 0 <= response i s.
Proof. apply sum_pos. intros. now apply act_ge0. Qed.

Lemma response_0 i : response i 0 = 0.
Proof.
  unfold response. transitivity (sum m (fun _ => 0)); [|rewrite sum_const; ring].
  apply sum_ext. intros. rewrite act_0; lra.
Qed.

(* A response never falls, for weights of any sign: negative ones respond with 0. *)
Lemma response_increases i s t : 0 <= s <= t -> response i s <= response i t.
Proof.
  intros H. apply sum_le. intros r _. destruct (Rle_dec (A i r) 0).
  - rewrite act_0 by nra. now apply act_ge0.
  - apply act_increases; nra.
Qed.

Lemma response_ratio i s t : 0 < s <= t -> Rpower (s / t) q * response i t <= response i s.
Proof.
  intros H. unfold response. rewrite <- sum_scal. apply sum_le. intros r _.
  destruct (Rle_dec (A i r) 0).
  - rewrite !act_0 by nra. lra.
  - replace (s / t) with ((A i r * s) / (A i r * t)) by (field; lra).
    apply act_ratio; [assumption..|]. split; [nra|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma sum_first c : sum P (fun p => if lt_dec p P0 then c else 0) = INR P0 * c.
Proof.
  clear - HP. induction P as [|n IH].
  - replace P0 with 0%nat by lia. simpl. ring.
  - simpl sum. destruct (Nat.eq_dec P0 (S n)) as [E|N].
    + rewrite E, S_INR. rewrite (sum_ext n _ (fun _ => c)), sum_const.
      * destruct (lt_dec n (S n)); [ring | lia].
      * intros p Hp. destruct (lt_dec p (S n)); [reflexivity | lia].
    + rewrite IH by lia. destruct (lt_dec n P0); [lia | ring].
Qed.

(* (a) and (b), broken: erase what the budget allows, and show another class in all patches.  All
   classes but the one that responds most to what is left are broken. *)
Theorem pure_network_broken : threshold <= eps ->
  exists best, (best < k)%nat /\ forall y, (y < k)%nat -> y <> best -> broken y.
Proof.
  intros Ht. set (s := strength - Rmin eps strength).
  destruct (largest_of (k - 1) (fun i => response i s)) as [j [Hj M]].
  replace (S (k - 1)) with k in * by lia. exists j. split; [exact Hj|]. intros y Hy Hne.
  assert (Hs : 0 <= s) by (unfold s; pose proof (Rmin_r eps strength); lra).
  assert (Hs' : strength - s <= eps) by (unfold s; pose proof (Rmin_l eps strength); lra).
  exists (fun p i => if Nat.eq_dec i j then eps else if Nat.eq_dec i y then
    if lt_dec p P0 then s else 0 else 0), j.
  split; [exact Hj|]. split; [intros E; now apply Hne|]. split.
  - intros p i _ _. unfold clean. destruct (Nat.eq_dec i j) as [->|].
    + destruct (Nat.eq_dec j y); [congruence|]. rewrite Rminus_0_r, Rabs_pos_eq; lra.
    + destruct (Nat.eq_dec i y); [destruct (lt_dec p P0)|];
        try (rewrite Rminus_0_r, Rabs_R0; exact Hbudget).
      rewrite Rabs_minus_sym, Rabs_pos_eq; [exact Hs'|]. unfold s.
      assert (0 <= Rmin eps strength) by (apply Rmin_glb; lra). lra.
  - unfold logit.
    rewrite (sum_ext P _ (fun p => if lt_dec p P0 then response y s else 0)), sum_first.
    2:{ intros p _. destruct (Nat.eq_dec y j); [congruence|]. destruct (Nat.eq_dec y y); [|easy].
        destruct (lt_dec p P0); [reflexivity | apply response_0]. }
    rewrite (sum_ext P _ (fun _ => response j eps)), sum_const.
    2:{ intros p _. now destruct (Nat.eq_dec j j). }
    pose proof patches_pos as HPs. pose proof (response_ge0 j s). pose proof (response_ge0 j eps).
    apply Rle_trans with (INR P0 * response j s); [apply Rmult_le_compat_l; [lra | now apply M]|].
    destruct (Rle_dec s eps) as [Hse|Hse].
    + pose proof (response_increases j s eps ltac:(lra)).
      apply Rle_trans with (INR P0 * response j eps); [apply Rmult_le_compat_l; lra|].
      apply Rmult_le_compat_r; lra.
    + assert (He : eps < strength).
      { destruct (Rlt_dec eps strength); [assumption|]. exfalso. apply Hse. unfold s.
        rewrite Rmin_right by lra. lra. }
      assert (Es : s = strength - eps) by (unfold s; rewrite Rmin_left; lra).
      pose proof (threshold_reached Ht He) as T. rewrite <- Es in T.
      assert (0 < threshold) by (apply Rdiv_lt_0_compat;
        [assumption | pose proof (exp_pos (/ q * ln (INR P / INR P0))); unfold Rpower; lra]).
      pose proof (response_ratio j eps s ltac:(lra)) as Q.
      pose proof (root_of_quotient q eps s ltac:(lra) ltac:(lra)) as E.
      assert (Hsq : 0 < Rpower s q) by apply exp_pos.
      assert (T' : INR P0 <= INR P * Rpower (eps / s) q).
      { apply Rmult_le_reg_r with (Rpower s q); [exact Hsq|].
        rewrite Rmult_assoc, E. exact T. }
      apply Rle_trans with (INR P * (Rpower (eps / s) q * response j s)).
      * rewrite <- Rmult_assoc. now apply Rmult_le_compat_r.
      * apply Rmult_le_compat_l; lra.
Qed.

(* (a) and (b), robust: a symmetric network in its polynomial part resists every smaller budget. *)
Theorem pure_network_robust (a : nat -> R) :
  (forall i r, A i r = a r) -> (forall r, (r < m)%nat -> 0 <= a r) ->
  (exists r, (r < m)%nat /\ 0 < a r) -> (forall r, (r < m)%nat -> a r * strength <= rho) ->
  eps < threshold -> forall y, (y < k)%nat -> ~ broken y.
Proof.
  intros Hsym Ha [r0 [Hr0 Ha0]] Hpoly Ht y Hy [x' [j [Hj [Hne [Hx L]]]]].
  pose proof patches_pos as HPs.
  assert (Same : forall i s, response i s = response y s).
  { intros i s. apply sum_ext. intros r _. now rewrite !Hsym. }
  assert (Full : 0 < response y strength).
  { eapply Rlt_le_trans; [|apply (sum_term m _ r0); [intros; now apply act_ge0 | exact Hr0]].
    simpl. apply act_pos; [assumption..|]. rewrite Hsym. nra. }
  assert (Power : forall s, 0 < s <= strength ->
    response y s = Rpower (s / strength) q * response y strength).
  { intros s Hs. unfold response. rewrite <- sum_scal. apply sum_ext. intros r Hr. rewrite Hsym.
    specialize (Ha r Hr). specialize (Hpoly r Hr). destruct (Req_dec (a r) 0) as [->|N].
    - rewrite !act_0 by lra. ring.
    - replace (s / strength) with ((a r * s) / (a r * strength)) by (field; lra).
      apply act_ratio_power; nra. }
  assert (HT : threshold < strength).
  { unfold threshold. pose proof (exp_pos (/ q * ln (INR P / INR P0))) as Hr.
    fold (Rpower (INR P / INR P0) (/ q)) in Hr.
    apply Rmult_lt_reg_r with (1 + Rpower (INR P / INR P0) (/ q)); [lra|].
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (Upper : logit j x' <= INR P * response y eps).
  { unfold logit. rewrite <- sum_const. apply sum_le. intros p Hp. rewrite Same.
    specialize (Hx p j Hp Hj). unfold clean in Hx. destruct (Nat.eq_dec j y); [congruence|].
    rewrite Rminus_0_r in Hx. apply Rabs_le_between in Hx.
    apply Rle_trans with (response y (Rmax (x' p j) 0)).
    - unfold Rmax. destruct (Rle_dec (x' p j) 0) as [Hneg|]; [|lra].
      apply sum_le. intros r Hr. rewrite Hsym, (act_0 q rho (a r * x' p j)); [now apply act_ge0|].
      specialize (Ha r Hr). nra.
    - apply response_increases. split; [apply Rmax_r | apply Rmax_lub; lra]. }
  assert (Lower : INR P0 * response y (strength - eps) <= logit y x').
  { rewrite <- sum_first. unfold logit. apply sum_le. intros p Hp.
    destruct (lt_dec p P0); [|apply response_ge0]. specialize (Hx p y Hp Hy). unfold clean in Hx.
    destruct (Nat.eq_dec y y); [|easy]. destruct (lt_dec p P0); [|easy].
    apply Rabs_le_between in Hx. apply response_increases. lra. }
  assert (Left : INR P0 * response y (strength - eps) > 0).
  { rewrite Power by lra. apply Rmult_lt_0_compat; [lra|].
    apply Rmult_lt_0_compat; [apply exp_pos | exact Full]. }
  destruct (Req_dec eps 0) as [E|N].
  - rewrite E, response_0 in Upper. rewrite E in *. lra.
  - destruct (threshold_kept ltac:(lra) Ht) as [_ K]. rewrite Power in Upper, Lower by lra.
    pose proof (root_of_quotient q eps strength ltac:(lra) ltac:(lra)) as E1.
    pose proof (root_of_quotient q (strength - eps) strength ltac:(lra) ltac:(lra)) as E2.
    rewrite <- E1, <- E2 in K. assert (S0 : 0 < Rpower strength q) by apply exp_pos.
    assert (K' : INR P * Rpower (eps / strength) q
      < INR P0 * Rpower ((strength - eps) / strength) q).
    { apply Rmult_lt_reg_r with (Rpower strength q); [exact S0|]. lra. }
    nra.
Qed.
End Pure_network.

(* (c) and (d): the two thresholds against each other. *)
Section Two_features.
Variables (q alpha beta : R) (P_R P_NR : nat).
Hypotheses (Hq : 1 <= q) (Halpha : 0 < alpha) (Hbeta : 0 < beta).
Hypotheses (HPR : (1 <= P_R)%nat) (HPNR : (1 <= P_NR)%nat).

Definition P : nat := P_R + P_NR.
Definition eps_u : R := threshold q alpha P_R P.
Definition eps_v : R := threshold q beta P_NR P.
Definition C : R := INR P_NR * Rpower beta q / (INR P_R * Rpower alpha q).

Lemma counts : 0 < INR P_R < INR P /\ 0 < INR P_NR < INR P.
Proof.
  unfold P. rewrite plus_INR. assert (0 < INR P_R) by (apply lt_0_INR; lia).
  assert (0 < INR P_NR) by (apply lt_0_INR; lia). lra.
Qed.

(* (P/P_R)^(1/q) = C^(1/q) (alpha/beta) (P/P_NR)^(1/q) *)
Lemma roots : Rpower (INR P / INR P_R) (/ q)
  = Rpower C (/ q) * (alpha / beta) * Rpower (INR P / INR P_NR) (/ q).
Proof.
  pose proof counts as HPs. assert (A0 : 0 < Rpower alpha q) by apply exp_pos.
  assert (B0 : 0 < Rpower beta q) by apply exp_pos.
  assert (Q : forall z, 0 < z -> Rpower (Rpower z q) (/ q) = z).
  { intros z Hz. rewrite Rpower_mult, Rinv_r by lra. now apply Rpower_1. }
  replace (alpha / beta) with (Rpower (Rpower alpha q / Rpower beta q) (/ q)).
  - rewrite !Rpower_mult_distr; unfold C;
      repeat (apply Rdiv_lt_0_compat || apply Rmult_lt_0_compat);
      try lra. f_equal. field. lra.
  - rewrite <- (Q (alpha / beta)) by (now apply Rdiv_lt_0_compat). f_equal.
    apply Rmult_eq_reg_r with (Rpower beta q); [|lra]. unfold Rdiv at 1.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. symmetry. now apply root_of_quotient.
Qed.

Theorem beyond_the_weak_feature eps : 1 <= C -> beta <= eps -> eps_u <= eps.
Proof.
  intros HC He. apply Rle_trans with beta; [|exact He]. unfold eps_u, threshold. rewrite roots.
  pose proof counts as HPs. set (t := Rpower (INR P / INR P_NR) (/ q)).
  assert (Ht : 1 <= t).
  { unfold t. rewrite <- (Rpower_O (INR P / INR P_NR)) by (apply Rdiv_lt_0_compat; lra).
    apply Rle_Rpower; [|left; apply Rinv_0_lt_compat; lra].
    apply Rmult_le_reg_r with (INR P_NR); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hc : 1 <= Rpower C (/ q)).
  { rewrite <- (Rpower_O C) by lra. apply Rle_Rpower; [exact HC|].
    left. apply Rinv_0_lt_compat. lra. }
  set (c := Rpower C (/ q)) in *.
  assert (Hab : 0 < alpha / beta) by now apply Rdiv_lt_0_compat.
  assert (0 < c * (alpha / beta) * t)
    by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  apply Rmult_le_reg_r with (1 + c * (alpha / beta) * t); [lra|]. unfold Rdiv at 1.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  replace (beta * (1 + c * (alpha / beta) * t)) with (beta + alpha * (c * t)) by (field; lra).
  assert (1 <= c * t) by nra. nra.
Qed.

Theorem window_open :
  eps_v < eps_u <-> Rpower C (/ q) < 1 + (1 - beta / alpha) * Rpower (INR P_NR / INR P) (/ q).
Proof.
  unfold eps_u, eps_v, threshold. rewrite roots. pose proof counts as HPs.
  assert (E : Rpower (INR P_NR / INR P) (/ q) = / Rpower (INR P / INR P_NR) (/ q)).
  { apply Rmult_eq_reg_r with (Rpower (INR P / INR P_NR) (/ q)); [|apply Rgt_not_eq, exp_pos].
    rewrite Rinv_l by apply Rgt_not_eq, exp_pos.
    rewrite Rpower_mult_distr by (apply Rdiv_lt_0_compat; lra).
    replace (INR P_NR / INR P * (INR P / INR P_NR)) with 1 by (field; lra).
    unfold Rpower. rewrite ln_1, Rmult_0_r. apply exp_0. }
  rewrite E. assert (Ht : 0 < Rpower (INR P / INR P_NR) (/ q)) by apply exp_pos.
  assert (Hc : 0 < Rpower C (/ q)) by apply exp_pos.
  set (t := Rpower (INR P / INR P_NR) (/ q)) in *. set (c := Rpower C (/ q)) in *.
  assert (Hab : 0 < alpha / beta) by now apply Rdiv_lt_0_compat.
  set (r := c * (alpha / beta) * t).
  assert (Hr : 0 < r) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (Er : beta * r = alpha * (c * t)) by (unfold r; field; lra).
  assert (Cross : beta / (1 + t) < alpha / (1 + r) <-> beta + alpha * (c * t) < alpha * (1 + t)).
  { rewrite <- Er.
    replace (beta + beta * r) with (beta / (1 + t) * ((1 + t) * (1 + r))) by (field; lra).
    replace (alpha * (1 + t)) with (alpha / (1 + r) * ((1 + t) * (1 + r))) by (field; lra).
    assert (0 < (1 + t) * (1 + r)) by (apply Rmult_lt_0_compat; lra).
    split; intros L; [now apply Rmult_lt_compat_r | eapply Rmult_lt_reg_r; eassumption]. }
  rewrite Cross. assert (Hat : 0 < alpha * t) by now apply Rmult_lt_0_compat.
  assert (I : alpha * t * (1 + (1 - beta / alpha) * / t) = alpha * t + alpha - beta)
    by (field; lra).
  split; intros H.
  - apply Rmult_lt_reg_l with (alpha * t); [exact Hat|]. rewrite I. lra.
  - apply Rmult_lt_compat_l with (r := alpha * t) in H; [|exact Hat]. rewrite I in H. lra.
Qed.

(* Never, for alpha > beta, if C >= 2^q; for the ReLU, q = 1, that is C >= 2. *)
Theorem window_closed : beta < alpha -> Rpower 2 q <= C -> ~ eps_v < eps_u.
Proof.
  intros Hab HC H. apply window_open in H. pose proof counts as HPs.
  assert (2 <= Rpower C (/ q)).
  { replace 2 with (Rpower (Rpower 2 q) (/ q)).
    - apply Rle_Rpower_l; [left; apply Rinv_0_lt_compat; lra | split; [apply exp_pos | exact HC]].
    - rewrite Rpower_mult, Rinv_r by lra. apply Rpower_1. lra. }
  assert (Ht : Rpower (INR P_NR / INR P) (/ q) <= 1).
  { apply Rle_trans with (Rpower 1 (/ q)).
    - apply Rle_Rpower_l; [left; apply Rinv_0_lt_compat; lra|].
      split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (INR P); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    - unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. lra. }
  assert (0 < Rpower (INR P_NR / INR P) (/ q)) by apply exp_pos.
  assert (0 < beta / alpha < 1).
  { split; [now apply Rdiv_lt_0_compat|]. apply Rmult_lt_reg_r with alpha; [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  nra.
Qed.
End Two_features.
