(* claims: lem-a.8 lem-a.8-r
   theorems: lemma_a8_fails lemma_a8_upper lemma_a8_upper_range lemma_a8_lower

   Lemma A.8, Chernoff's bounds for a sum of independent indicators: the printed upper tail fails
   for large deviations, holds up to eps = 1.8169, and holds for all eps with 2 + eps for 3. *)

From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Import ListNotations.
Open Scope R_scope.

(* The law of Y = Y_1 + ... + Y_n with P[Y_i = 1] = p_i, one trial after the other: the
   probability of at least, and of at most, k successes. *)
Fixpoint at_least (k : nat) (ps : list R) : R :=
  match k, ps with
  | O, _ => 1
  | S _, [] => 0
  | S j, p :: rest => p * at_least j rest + (1 - p) * at_least k rest
  end.

Fixpoint at_most (k : nat) (ps : list R) : R :=
  match ps with
  | [] => 1
  | p :: rest => (1 - p) * at_most k rest
                 + p * match k with O => 0 | S j => at_most j rest end
  end.

Definition probabilities (ps : list R) : Prop := List.Forall (fun p => 0 <= p <= 1) ps.
Definition mean (ps : list R) : R := fold_right Rplus 0 ps.

Lemma at_least_0 ps : at_least 0 ps = 1.
Proof. now destruct ps. Qed.

Lemma at_least_01 k ps : probabilities ps -> 0 <= at_least k ps <= 1.
Proof.
  intros H. revert k. induction H as [|p ps Hp _ IH]; intros [|k]; rewrite ?at_least_0;
    cbn [at_least]; try lra.
  pose proof (IH k). pose proof (IH (S k)). split; nra.
Qed.

Lemma at_least_falls k ps : probabilities ps -> at_least (S k) ps <= at_least k ps.
Proof.
  intros H. revert k. induction H as [|p ps Hp H IH]; intros k.
  { destruct k; simpl; lra. }
  destruct k as [|k].
  - apply (at_least_01 1 (p :: ps)). now constructor.
  - cbn [at_least]. pose proof (IH k). pose proof (IH (S k)).
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

(* If two groups of trials meet j and k successes, together they meet j + k. *)
Lemma at_least_groups j k ps qs : probabilities ps -> probabilities qs ->
  at_least j ps * at_least k qs <= at_least (j + k) (ps ++ qs).
Proof.
  intros Hp Hq. revert j k. induction Hp as [|p ps Hp H IH]; intros j k.
  - destruct j; simpl; [lra|]. pose proof (at_least_01 k qs Hq).
    rewrite Rmult_0_l. apply at_least_01, Hq.
  - assert (HL : probabilities (ps ++ qs)) by (apply List.Forall_app; now split).
    destruct j as [|j]; cbn [at_least app Nat.add].
    + destruct k as [|k]; [rewrite at_least_0; lra|]. cbn [at_least].
      pose proof (IH 0%nat (S k)) as I.
      cbn [at_least Nat.add] in I. rewrite at_least_0 in I.
      pose proof (at_least_falls k (ps ++ qs) HL). nra.
    + pose proof (IH j k). pose proof (IH (S j) k) as I. cbn [Nat.add] in I.
      rewrite Rmult_plus_distr_r, !Rmult_assoc.
      apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma repeat_probabilities p n : 0 <= p <= 1 -> probabilities (repeat p n).
Proof. intros H. induction n; simpl; constructor; assumption. Qed.

Lemma at_least_one p n : at_least 1 (repeat p n) = 1 - (1 - p) ^ n.
Proof.
  induction n as [|n IH]; [simpl; lra|]. cbn [repeat at_least pow].
  rewrite IH, at_least_0. ring.
Qed.

Lemma one_in_each_group p n k : 0 <= p <= 1 ->
  (1 - (1 - p) ^ n) ^ k <= at_least k (repeat p (k * n)).
Proof.
  intros Hp. induction k as [|k IH]; [simpl; lra|].
  cbn [Nat.mul pow]. rewrite repeat_app. rewrite <- at_least_one in IH |- *.
  eapply Rle_trans; [|apply (at_least_groups 1 k); now apply repeat_probabilities].
  apply Rmult_le_compat_l; [|exact IH]. now apply at_least_01, repeat_probabilities.
Qed.

Lemma mean_repeat p n : mean (repeat p n) = INR n * p.
Proof. induction n; [simpl; lra|]. rewrite S_INR. simpl. fold (mean (repeat p n)). lra. Qed.

(* The witness: 1000 trials of probability 1/1000, and ten times their mean.  One success in each
   of ten groups of 100 is already likelier than the printed exp(-27). *)
Definition witness_p : R := 1/1000.
Definition witness_trials : nat := 1000.
Definition witness_eps : R := 9.

Theorem lemma_a8_fails :
  mean (repeat witness_p witness_trials) * (1 + witness_eps) = INR 10 /\
  exp (- witness_eps ^ 2 * mean (repeat witness_p witness_trials) / 3)
    < at_least 10 (repeat witness_p witness_trials).
Proof.
  rewrite mean_repeat. replace (INR witness_trials * witness_p) with 1.
  2:{ unfold witness_trials, witness_p. rewrite INR_IZR_INZ.
      replace (Z.of_nat 1000) with 1000%Z by reflexivity. lra. }
  unfold witness_eps. split; [simpl; lra|].
  eapply Rlt_le_trans; [|apply (one_in_each_group witness_p 100 10); unfold witness_p; lra].
  unfold witness_p. interval with (i_prec 60).
Qed.

(* Markov's inequality for s^Y: the generating function of each trial is 1 + p (s - 1). *)
Definition generating (s : R) (ps : list R) : R :=
  fold_right (fun p rest => (1 + p * (s - 1)) * rest) 1 ps.

Lemma generating_ge1 s ps : 1 <= s -> probabilities ps -> 1 <= generating s ps.
Proof.
  intros Hs H. induction H as [|p ps Hp _ IH]; simpl; [lra|]. fold (generating s ps).
  assert (0 <= p * (s - 1)) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma generating_pos s ps : 0 <= s -> probabilities ps -> 0 <= generating s ps.
Proof.
  intros Hs H. induction H as [|p ps Hp _ IH]; simpl; [lra|]. fold (generating s ps).
  apply Rmult_le_pos; [nra | exact IH].
Qed.

Lemma markov_upper s ps k : 1 <= s -> probabilities ps ->
  at_least k ps * s ^ k <= generating s ps.
Proof.
  intros Hs H. revert k. induction H as [|p ps Hp H IH]; intros [|k].
  - simpl. lra.
  - simpl. lra.
  - change (1 * 1 <= generating s (p :: ps)). rewrite Rmult_1_l.
    apply generating_ge1; [exact Hs | now constructor].
  - cbn [at_least generating fold_right pow]. fold (generating s ps).
    pose proof (IH k) as I1. pose proof (IH (S k)) as I2. cbn [pow] in I2.
    replace ((p * at_least k ps + (1 - p) * at_least (S k) ps) * (s * s ^ k))
      with (p * s * (at_least k ps * s ^ k) + (1 - p) * (at_least (S k) ps * (s * s ^ k))) by ring.
    replace ((1 + p * (s - 1)) * generating s ps)
      with (p * s * generating s ps + (1 - p) * generating s ps) by ring.
    apply Rplus_le_compat; apply Rmult_le_compat_l; auto; nra.
Qed.

Lemma markov_lower s ps k : 0 < s <= 1 -> probabilities ps ->
  at_most k ps * s ^ k <= generating s ps.
Proof.
  intros Hs H. revert k. induction H as [|p ps Hp H IH]; intros k.
  - simpl. rewrite Rmult_1_l. rewrite <- (pow1 k). apply pow_incr. lra.
  - cbn [at_most generating fold_right]. fold (generating s ps). pose proof (IH k) as I1.
    replace ((1 + p * (s - 1)) * generating s ps)
      with ((1 - p) * generating s ps + p * (s * generating s ps)) by ring.
    rewrite Rmult_plus_distr_r. apply Rplus_le_compat.
    + rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
    + rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. destruct k as [|k].
      * rewrite Rmult_0_l. apply Rmult_le_pos; [lra|]. apply generating_pos; [lra | exact H].
      * pose proof (IH k) as I2. cbn [pow].
        replace (at_most k ps * (s * s ^ k)) with (s * (at_most k ps * s ^ k)) by ring.
        apply Rmult_le_compat_l; lra.
Qed.

(* 1 + p (s - 1) <= exp(p (s - 1)), so the product is at most exp(mu (s - 1)). *)
Lemma generating_exp s ps : 0 <= s -> probabilities ps ->
  generating s ps <= exp (mean ps * (s - 1)).
Proof.
  intros Hs H. induction H as [|p ps Hp H IH].
  - simpl. rewrite Rmult_0_l, exp_0. lra.
  - cbn [generating mean fold_right]. fold (generating s ps). fold (mean ps).
    replace ((p + mean ps) * (s - 1)) with (p * (s - 1) + mean ps * (s - 1)) by ring.
    rewrite exp_plus. apply Rmult_le_compat; [nra | now apply generating_pos | | exact IH].
    apply exp_ineq1_le.
Qed.

Lemma mean_ge0 ps : probabilities ps -> 0 <= mean ps.
Proof. intros H. induction H; simpl; [lra|]. fold (mean l). lra. Qed.

(* Chernoff's exponent h(eps) = (1 + eps) log(1 + eps) - eps, with s = 1 + eps. *)
Definition h (eps : R) : R := (1 + eps) * ln (1 + eps) - eps.

Lemma chernoff_upper ps k eps : probabilities ps -> 0 <= eps -> mean ps * (1 + eps) <= INR k ->
  at_least k ps <= exp (- mean ps * h eps).
Proof.
  intros H He Hk. pose proof (mean_ge0 ps H) as Hmu.
  apply Rmult_le_reg_r with ((1 + eps) ^ k); [apply pow_lt; lra|].
  eapply Rle_trans; [apply markov_upper; [lra | exact H]|].
  eapply Rle_trans; [apply generating_exp; [lra | exact H]|].
  rewrite <- (Rpower_pow k (1 + eps)) by lra. unfold Rpower. rewrite <- exp_plus.
  assert (L : 0 <= ln (1 + eps)) by (rewrite <- ln_1; apply ln_le; lra).
  assert (mean ps * (1 + eps) * ln (1 + eps) <= INR k * ln (1 + eps))
    by (apply Rmult_le_compat_r; assumption).
  destruct (Rle_lt_or_eq_dec (mean ps * (1 + eps - 1))
    (- mean ps * h eps + INR k * ln (1 + eps))) as [B|B].
  - unfold h. lra.
  - left. now apply exp_increasing.
  - rewrite B. apply Rle_refl.
Qed.

(* log(1 + eps) >= 2 eps/(2 + eps): both sides vanish at 0 and the derivatives are ordered. *)
Lemma ln_lower eps : 0 <= eps -> 2 * eps / (2 + eps) <= ln (1 + eps).
Proof.
  intros He. destruct (Req_dec eps 0) as [->|N].
  { replace (1 + 0) with 1 by ring. rewrite ln_1. right. field. }
  destruct (MVT_gen (fun u => ln (1 + u) - 2 * u / (2 + u)) 0 eps
    (fun u => / (1 + u) - 4 / (2 + u) ^ 2)) as [c [Hc E]].
  - intros u Hu. rewrite Rmin_left, Rmax_right in Hu by lra. auto_derive; [lra|]. field. lra.
  - intros u Hu. rewrite Rmin_left, Rmax_right in Hu by lra.
    apply continuity_pt_filterlim.
    apply (ex_derive_continuous (fun u => ln (1 + u) - 2 * u / (2 + u))).
    auto_derive. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. replace (1 + 0) with 1 in E by ring.
    rewrite ln_1 in E.
    assert (0 <= / (1 + c) - 4 / (2 + c) ^ 2).
    { replace (/ (1 + c) - 4 / (2 + c) ^ 2) with (c ^ 2 / ((1 + c) * (2 + c) ^ 2)) by (field; lra).
      apply Rmult_le_pos; [nra|]. left. apply Rinv_0_lt_compat. nra. }
    replace (0 - 2 * 0 / (2 + 0)) with 0 in E by field.
    assert (0 <= (/ (1 + c) - 4 / (2 + c) ^ 2) * (eps - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma h_repaired eps : 0 <= eps -> eps ^ 2 / (2 + eps) <= h eps.
Proof.
  intros He. pose proof (ln_lower eps He) as L. unfold h.
  apply Rle_trans with ((1 + eps) * (2 * eps / (2 + eps)) - eps).
  - right. field. lra.
  - apply Rplus_le_compat_r, Rmult_le_compat_l; lra.
Qed.

Lemma exp_le u v : u <= v -> exp u <= exp v.
Proof. intros [H | ->]; [left; now apply exp_increasing | apply Rle_refl]. Qed.

(* The repaired upper tail: for all eps > 0. *)
Theorem lemma_a8_upper ps k eps : probabilities ps -> 0 < eps ->
  mean ps * (1 + eps) <= INR k ->
  at_least k ps <= exp (- eps ^ 2 * mean ps / (2 + eps)).
Proof.
  intros H He Hk. eapply Rle_trans; [apply (chernoff_upper ps k eps H); [lra | exact Hk]|].
  apply exp_le. pose proof (h_repaired eps ltac:(lra)). pose proof (mean_ge0 ps H).
  replace (- eps ^ 2 * mean ps / (2 + eps))
    with (- mean ps * (eps ^ 2 / (2 + eps))) by (field; lra).
  nra.
Qed.

(* The printed upper tail, in its range: eps^2/3 <= h(eps), by log(1 + eps) >= 2 eps/(2 + eps) up
   to 1 and by interval arithmetic beyond. *)
Definition range_end : R := 18169/10000.

Lemma h_printed eps : 0 < eps <= range_end -> eps ^ 2 / 3 <= h eps.
Proof.
  unfold range_end. intros He. destruct (Rle_dec eps 1).
  - eapply Rle_trans; [|apply h_repaired; lra]. unfold Rdiv. apply Rmult_le_compat_l; [nra|].
    apply Rinv_le_contravar; lra.
  - unfold h. apply Rminus_le_0. assert (1 <= eps) by lra.
    interval with (i_bisect eps, i_autodiff eps, i_prec 60, i_depth 40).
Qed.

Theorem lemma_a8_upper_range ps k eps : probabilities ps -> 0 < eps <= range_end ->
  mean ps * (1 + eps) <= INR k ->
  at_least k ps <= exp (- eps ^ 2 * mean ps / 3).
Proof.
  intros H He Hk. eapply Rle_trans; [apply (chernoff_upper ps k eps H); [lra | exact Hk]|].
  apply exp_le. pose proof (h_printed eps He). pose proof (mean_ge0 ps H).
  replace (- eps ^ 2 * mean ps / 3) with (- mean ps * (eps ^ 2 / 3)) by field. nra.
Qed.

(* The lower tail, s = 1 - eps: -log(1 - eps) (1 - eps) <= eps - eps^2/2. *)
Lemma h_lower eps : 0 <= eps < 1 -> eps ^ 2 / 2 <= (1 - eps) * ln (1 - eps) + eps.
Proof.
  intros He. destruct (Req_dec eps 0) as [->|N].
  { rewrite Rminus_0_r, ln_1. right. field. }
  destruct (MVT_gen (fun u => (1 - u) * ln (1 - u) + u - u ^ 2 / 2) 0 eps
    (fun u => - ln (1 - u) - u)) as [c [Hc E]].
  - intros u Hu. rewrite Rmin_left, Rmax_right in Hu by lra. auto_derive; [lra|].
    unfold Rminus. field. lra.
  - intros u Hu. rewrite Rmin_left, Rmax_right in Hu by lra. apply continuity_pt_filterlim.
    apply (ex_derive_continuous (fun u => (1 - u) * ln (1 - u) + u - u ^ 2 / 2)). auto_derive. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. rewrite !Rminus_0_r, ln_1 in E.
    assert (ln (1 - c) <= - c).
    { rewrite <- (ln_exp (- c)). apply ln_le; [lra|]. pose proof (exp_ineq1_le (- c)). lra. }
    assert (0 <= (- ln (1 - c) - c) * eps) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem lemma_a8_lower ps k eps : probabilities ps -> 0 < eps < 1 ->
  INR k <= mean ps * (1 - eps) ->
  at_most k ps <= exp (- eps ^ 2 * mean ps / 2).
Proof.
  intros H He Hk. pose proof (mean_ge0 ps H) as Hmu.
  apply Rmult_le_reg_r with ((1 - eps) ^ k); [apply pow_lt; lra|].
  eapply Rle_trans; [apply markov_lower; [lra | exact H]|].
  eapply Rle_trans; [apply generating_exp; [lra | exact H]|].
  rewrite <- (Rpower_pow k (1 - eps)) by lra. unfold Rpower. rewrite <- exp_plus. apply exp_le.
  assert (L : ln (1 - eps) <= 0) by (rewrite <- ln_1; apply ln_le; lra).
  assert (mean ps * (1 - eps) * ln (1 - eps) <= INR k * ln (1 - eps)) by nra.
  pose proof (h_lower eps ltac:(lra)) as P.
  assert (mean ps * (eps ^ 2 / 2) <= mean ps * ((1 - eps) * ln (1 - eps) + eps))
    by (apply Rmult_le_compat_l; assumption).
  lra.
Qed.
